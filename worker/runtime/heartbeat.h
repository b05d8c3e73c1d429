#ifndef MEANFIELD_WORKER_RUNTIME_HEARTBEAT_H_
#define MEANFIELD_WORKER_RUNTIME_HEARTBEAT_H_

#include <stop_token>
#include <thread>

#include "worker/runtime/connection.h"
#include "worker/runtime/lease_desk.h"

namespace meanfield {

// Tells the coordinator how far the unit is, or that the worker lives, as often
// as it asked for, from a thread that no computation holds up. Connection and
// desk outlive it.
class Heartbeat {
 public:
  Heartbeat(Connection& connection, const LeaseDesk& desk);

 private:
  void Run(std::stop_token stop);

  Connection& connection_;
  const LeaseDesk& desk_;
  std::jthread thread_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_HEARTBEAT_H_
