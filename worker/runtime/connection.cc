#include "worker/runtime/connection.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/grpc_status.h"
#include "worker/runtime/pause.h"

namespace meanfield {
namespace {

constexpr absl::Duration kDialLimit = absl::Seconds(10);
constexpr absl::Duration kCloseLimit = absl::Seconds(2);
constexpr int kDamagedTries = 3;
// So that the first one follows the Welcome soon.
constexpr absl::Duration kUnconnectedHeartbeat = absl::Milliseconds(50);

// The coordinator does not want this worker, now or later.
bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

bool IsPassing(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnknown:          // gRPC: "Stream removed"
    case absl::StatusCode::kUnauthenticated:  // the session is over
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:  // cut off by the coordinator
    case absl::StatusCode::kDataLoss:
      return true;
    default:
      return false;
  }
}

}  // namespace

Connection::Connection(Options options, Clock& clock, LeaseDesk& desk)
    : options_(std::move(options)),
      clock_(clock),
      desk_(desk),
      last_contact_(clock.Now()),
      backoff_(options_.hello.incarnation()),
      thread_([this](std::stop_token stop) { Run(std::move(stop)); }) {}

Connection::~Connection() { Close(); }

void Connection::Close() {
  thread_.request_stop();
  const std::unique_ptr<Alarm> cut_off =
      clock_.ScheduleAt(clock_.Now() + kCloseLimit, [this] {
        const MutexLock lock(mutex_);
        if (context_ != nullptr) context_->TryCancel();
      });
  {
    const MutexLock lock(mutex_);
    if (session_.empty() && context_ != nullptr) context_->TryCancel();
  }
  {
    const MutexLock lock(write_mutex_);
    if (stream_ != nullptr) stream_->WritesDone();
    stream_ = nullptr;
  }
  thread_.join();
}

bool Connection::Send(const proto::WorkerMessage& message) {
  // A write ends when the call does, so holding the lock cannot hang.
  const MutexLock lock(write_mutex_);
  return stream_ != nullptr && stream_->Write(message);
}

std::shared_ptr<proto::Coordinator::Stub> Connection::stub() const {
  const MutexLock lock(mutex_);
  return stub_;
}

absl::Duration Connection::heartbeat() const {
  const MutexLock lock(mutex_);
  return session_.empty() ? kUnconnectedHeartbeat : heartbeat_;
}

// ----------------------------------------------------------------- stream --

void Connection::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const absl::Status ended = Converse(stop);
    if (stop.stop_requested()) return;
    absl::Duration lost;
    {
      const MutexLock lock(mutex_);
      if (dismissed_) return;
      lost = clock_.Now() - last_contact_;
    }
    if (IsRefusal(ended)) {
      desk_.OnEnd(
          Annotate(ended, StrCat("the coordinator at ", options_.address,
                                 " refused this worker")));
      return;
    }
    if (lost >= options_.give_up_after) {
      desk_.OnEnd(absl::UnavailableError(StrCat(
          "the coordinator at ", options_.address, " was out of reach for ",
          absl::FormatDuration(absl::Trunc(lost, absl::Milliseconds(1))), ": ",
          ended.message())));
      return;
    }
    TellOnce(ended, options_.give_up_after - lost);
    PauseFor(clock_, std::min(backoff_.Next(), options_.give_up_after - lost),
             stop);
  }
}

void Connection::TellOnce(const absl::Status& ended, absl::Duration left) {
  if (std::exchange(outage_told_, true)) return;
  Log(LogLevel::kInfo, "waiting_for_coordinator",
      {{"coordinator", options_.address},
       {"for_at_most",
        absl::FormatDuration(absl::Trunc(left, absl::Seconds(1)))},
       {"reason", ended.ToString()}});
}

absl::Status Connection::Converse(std::stop_token stop) {
  const std::shared_ptr<proto::Coordinator::Stub> stub =
      proto::Coordinator::NewStub(
          rpc::MakeChannel(options_.address, options_.keepalive));
  grpc::ClientContext context;
  {
    const MutexLock lock(mutex_);
    if (stop.stop_requested()) return absl::CancelledError("stopped");
    context_ = &context;
    stub_ = stub;
  }
  bool unanswered = false;  // by mutex_
  const absl::Duration limit = std::min(kDialLimit, options_.give_up_after);
  const std::unique_ptr<Alarm> dial_limit =
      clock_.ScheduleAt(clock_.Now() + limit, [this, &unanswered] {
        const MutexLock lock(mutex_);
        if (context_ == nullptr || !session_.empty()) return;
        unanswered = true;
        context_->TryCancel();
      });
  const std::unique_ptr<Stream> stream = stub->Work(&context);
  proto::WorkerMessage hello;
  *hello.mutable_hello() = options_.hello;
  if (stream->Write(hello)) ReadAll(*stream);
  {
    const MutexLock lock(write_mutex_);
    stream_ = nullptr;
  }
  const absl::Status ended = rpc::FromGrpcStatus(stream->Finish());
  const MutexLock lock(mutex_);
  context_ = nullptr;
  if (!session_.empty()) {
    last_contact_ = clock_.Now();
    Log(LogLevel::kInfo, "disconnected",
        {{"coordinator", options_.address}, {"reason", ended.ToString()}});
  }
  session_.clear();
  if (!unanswered) return ended;
  return absl::UnavailableError(
      StrCat("no answer within ", absl::FormatDuration(limit)));
}

void Connection::ReadAll(Stream& stream) {
  proto::CoordinatorMessage message;
  while (stream.Read(&message)) {
    if (message.has_welcome()) {
      const MutexLock lock(write_mutex_);
      stream_ = &stream;
    }
    Handle(message);
  }
}

void Connection::Handle(const proto::CoordinatorMessage& message) {
  switch (message.kind_case()) {
    case proto::CoordinatorMessage::kWelcome:
      OnWelcome(message.welcome());
      break;
    case proto::CoordinatorMessage::kLease:
      desk_.OnLease(message.lease());
      break;
    case proto::CoordinatorMessage::kCancel:
      if (!desk_.OnCancel(message.cancel().lease(),
                          message.cancel().reason())) {
        proto::WorkerMessage answer;
        answer.mutable_failed()->set_lease(message.cancel().lease());
        answer.mutable_failed()->set_code(
            static_cast<int>(absl::StatusCode::kCancelled));
        answer.mutable_failed()->set_message("not in progress");
        Send(answer);
      }
      break;
    case proto::CoordinatorMessage::kDismiss: {
      Log(LogLevel::kInfo, "dismissed",
          {{"reason", message.dismiss().reason()}});
      {
        const MutexLock lock(mutex_);
        dismissed_ = true;
      }
      desk_.OnEnd(absl::OkStatus());
      break;
    }
    case proto::CoordinatorMessage::KIND_NOT_SET:
      break;  // of a newer coordinator of the same protocol
  }
}

void Connection::OnWelcome(const proto::Welcome& welcome) {
  Log(LogLevel::kInfo, "connected", {{"coordinator", options_.address}});
  outage_told_ = false;
  {
    const MutexLock lock(mutex_);
    session_ = welcome.session_token();
    heartbeat_ = absl::Milliseconds(std::max(1u, welcome.heartbeat_ms()));
    backoff_.Reset();
    changed_.NotifyAll();
  }
  desk_.OnSession();
}

// -------------------------------------------------------------- transfers --

absl::StatusOr<std::string> Connection::WaitForSession(std::stop_token stop) {
  // Before the lock: its destructor waits for the closure, which takes it.
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  const MutexLock lock(mutex_);
  while (session_.empty() && !stop.stop_requested()) changed_.Wait(mutex_);
  if (stop.stop_requested()) return absl::CancelledError("stopped");
  return session_;
}

absl::Status Connection::Retry(
    std::stop_token stop,
    absl::FunctionRef<absl::Status(const std::string& token)> attempt) {
  Backoff backoff(options_.hello.incarnation() + 1);
  int damaged = 0;
  while (true) {
    MEANFIELD_ASSIGN_OR_RETURN(const std::string token, WaitForSession(stop));
    const absl::Status status = attempt(token);
    if (status.ok()) return status;
    if (stop.stop_requested()) return absl::CancelledError("stopped");
    if (!IsPassing(status)) return status;
    if (absl::IsDataLoss(status) && ++damaged == kDamagedTries) return status;
    Log(LogLevel::kDebug, "transfer_broke", {{"reason", status.ToString()}});
    PauseFor(clock_, backoff.Next(), stop);
  }
}

}  // namespace meanfield
