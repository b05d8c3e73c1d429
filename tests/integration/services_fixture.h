#ifndef MEANFIELD_TESTS_INTEGRATION_SERVICES_FIXTURE_H_
#define MEANFIELD_TESTS_INTEGRATION_SERVICES_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/training_fixture.h"

namespace meanfield::testing {

// A coordinator, workers and clients as from separate shells.
class ServicesFixture : public TrainingTest {
 protected:
  void StartCoordinator(const std::string& listen = "127.0.0.1:0") {
    coordinator_ = std::make_unique<Process>(std::vector<std::string>{
        Program("meanfield-coordinator"), "--listen", listen, "--state",
        Out("state"), "--corpus-root", folder_.path()});
    ASSERT_TRUE(coordinator_->WaitForOutput("listening on "));
    const std::string line = coordinator_->Output();
    const size_t begin = line.find("127.0.0.1");
    address_ = line.substr(begin, line.find('\n', begin) - begin);
  }
  std::unique_ptr<Process> StartWorker(const std::string& name) const {
    return std::make_unique<Process>(std::vector<std::string>{
        Program("meanfield-worker"), "--coordinator", address_, "--cpu",
        "--name", name, "--give-up-after", "1m"});
  }
  ProcessResult Client(std::vector<std::string> command) const {
    command.insert(command.begin(), Program("meanfield"));
    command.insert(command.end(), {"--coordinator", address_});
    return RunProcess(command);
  }
  std::string Submit(const std::string& job) const {
    const ProcessResult result = Client({"submit", job});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.substr(0, result.out.find('\n'));
  }
  nlohmann::json Show(const std::string& run) const {
    return nlohmann::json::parse(Client({"show", run, "--json"}).out);
  }
  // The same job trained by one command.
  std::string CalmHash(const std::string& job) const {
    EXPECT_EQ(RunProcess(TrainCommand(job, "calm", 2)).exit_code, 0);
    return FinalHash("calm");
  }

  std::unique_ptr<Process> coordinator_;
  std::string address_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_INTEGRATION_SERVICES_FIXTURE_H_
