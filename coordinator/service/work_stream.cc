#include "coordinator/service/work_stream.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/grpc_status.h"
#include "common/rpc/protocol.h"

namespace meanfield::service {
namespace {

// Far above what a worker that reads ever has waiting.
constexpr size_t kMaxQueued = 256;

absl::Status CheckHello(const proto::Hello& hello) {
  for (const std::string* text : {&hello.worker(), &hello.device(),
                                  &hello.numerics_class(), &hello.host()}) {
    if (text->size() > rpc::kMaxNameBytes) {
      return absl::InvalidArgumentError(
          StrCat("a text of Hello has ", text->size(), " bytes; at most ",
                 rpc::kMaxNameBytes, " are accepted"));
    }
  }
  if (hello.protocol_version() != rpc::kProtocolVersion) {
    return absl::FailedPreconditionError(
        StrCat("worker \"", hello.worker(), "\" speaks protocol version ",
               hello.protocol_version(), ", this coordinator ",
               rpc::kProtocolVersion, "; install the same release on both"));
  }
  if (hello.worker().empty()) {
    return absl::InvalidArgumentError("Hello names no worker");
  }
  return absl::OkStatus();
}

driver::WorkerIdentity ToIdentity(const proto::Hello& hello) {
  return {.name = hello.worker(),
          .incarnation = hello.incarnation(),
          .device = hello.device(),
          .numerics_class = hello.numerics_class(),
          .host = hello.host(),
          .pid = hello.pid(),
          .device_memory_bytes = hello.device_memory_bytes()};
}

}  // namespace

WorkStream::WorkStream(CallEnvironment& environment,
                       grpc::CallbackServerContext* context)
    : environment_(environment),
      context_(context),
      heard_(environment.clock.Now()) {}

void WorkStream::Begin() {
  self_ = shared_from_this();
  const bool added = environment_.workers.Add(this);
  const MutexLock lock(mutex_);
  if (added) {
    ReadNext();
  } else {
    End(absl::UnavailableError("the coordinator goes down"), Queued::kDrop);
    Pump();
  }
}

// ------------------------------------------------------------------- down --

void WorkStream::Assign(uint64_t lease, const proto::Unit& unit) {
  proto::CoordinatorMessage message;
  message.mutable_lease()->set_id(lease);
  *message.mutable_lease()->mutable_unit() = unit;
  Send(std::move(message));
}

void WorkStream::Cancel(uint64_t lease, std::string_view reason) {
  proto::CoordinatorMessage message;
  message.mutable_cancel()->set_lease(lease);
  message.mutable_cancel()->set_reason(
      rpc::Utf8Prefix(reason, rpc::kMaxFailureBytes));
  Send(std::move(message));
}

void WorkStream::Dismiss(std::string_view reason) {
  proto::CoordinatorMessage message;
  message.mutable_dismiss()->set_reason(
      rpc::Utf8Prefix(reason, rpc::kMaxFailureBytes));
  Send(std::move(message));
}

void WorkStream::Send(proto::CoordinatorMessage message) {
  const MutexLock lock(mutex_);
  if (end_.has_value()) return;
  if (queue_.size() >= kMaxQueued) {
    End(absl::ResourceExhaustedError(StrCat(
            "worker \"", worker_, "\" has not read ", kMaxQueued, " messages")),
        Queued::kDrop);
  } else {
    queue_.push_back(std::move(message));
  }
  Pump();
}

void WorkStream::Pump() {
  // Starting an operation never calls back from here, so the lock may be held.
  if (finished_ || writing_) return;
  if (open_ && !queue_.empty()) {
    out_ = std::move(queue_.front());
    queue_.pop_front();
    writing_ = true;
    StartWrite(&out_);
  } else if (end_.has_value() && !handling_) {
    finished_ = true;
    Finish(rpc::ToGrpcStatus(*end_));
  }
}

void WorkStream::OnWriteDone(bool ok) {
  const MutexLock lock(mutex_);
  writing_ = false;
  if (!ok) End(absl::UnavailableError("the connection broke"), Queued::kDrop);
  Pump();
}

// --------------------------------------------------------------------- up --

void WorkStream::ReadNext() {
  reading_ = true;
  heard_ = environment_.clock.Now();
  StartRead(&in_);
}

void WorkStream::OnReadDone(bool ok) {
  const MutexLock lock(mutex_);
  reading_ = false;
  if (end_.has_value()) return;
  if (!ok) {
    if (context_->IsCancelled()) {
      End(absl::UnavailableError("the connection broke"), Queued::kDrop);
    } else {
      End(absl::OkStatus(), Queued::kSend);
    }
    Pump();
  } else if (in_.has_heartbeat() && open_) {
    ReadNext();
  } else {
    handling_ = true;
    environment_.io.Post([self = shared_from_this()] { self->Handle(); });
  }
}

void WorkStream::Handle() {
  const absl::Status status = Process();
  const MutexLock lock(mutex_);
  handling_ = false;
  if (!status.ok()) {
    Log(LogLevel::kWarning, "worker_refused",
        {{"worker", worker_}, {"reason", status.ToString()}});
    End(status, Queued::kSend);
  }
  if (!end_.has_value()) ReadNext();
  Pump();
}

absl::Status WorkStream::Process() {
  std::string session;
  bool open = false;
  {
    const MutexLock lock(mutex_);
    session = session_;
    open = open_;
  }
  if (!open) {
    return in_.has_hello() ? Join(in_.hello())
                           : absl::InvalidArgumentError(
                                 "a worker's first message must be Hello");
  }
  // A worker that was dismissed instead of welcomed has nothing to report.
  return session.empty() ? absl::OkStatus() : Report(session);
}

absl::Status WorkStream::Join(const proto::Hello& hello) {
  {
    const MutexLock lock(mutex_);
    worker_ = rpc::Utf8Prefix(hello.worker(), rpc::kMaxNameBytes);
  }
  MEANFIELD_RETURN_IF_ERROR(CheckHello(hello));
  std::string session;
  proto::CoordinatorMessage first;
  if (const auto reason = environment_.workers.dismissal()) {
    first.mutable_dismiss()->set_reason(*reason);
  } else {
    MEANFIELD_ASSIGN_OR_RETURN(
        session,
        environment_.sessions.Join(ToIdentity(hello), shared_from_this()));
    first.mutable_welcome()->set_session_token(session);
    first.mutable_welcome()->set_heartbeat_ms(static_cast<uint32_t>(
        absl::ToInt64Milliseconds(environment_.heartbeat)));
  }
  const MutexLock lock(mutex_);
  session_ = session;
  queue_.push_front(std::move(first));
  open_ = true;
  // The stream may have ended while the driver was asked.
  if (end_.has_value()) PostLeave(*end_);
  return absl::OkStatus();
}

absl::Status WorkStream::Report(const std::string& session) {
  driver::WorkerSessions& sessions = environment_.sessions;
  switch (in_.kind_case()) {
    case proto::WorkerMessage::kProgress: {
      const proto::Progress& progress = in_.progress();
      sessions.OnProgress(session, {.lease = progress.lease(),
                                    .steps_done = progress.steps_done(),
                                    .tokens_done = progress.tokens_done(),
                                    .loss_sum = progress.loss_sum(),
                                    .loss_count = progress.loss_count()});
      return absl::OkStatus();
    }
    case proto::WorkerMessage::kDone:
      if (!in_.done().has_result()) {
        return absl::InvalidArgumentError("Done without a result");
      }
      sessions.OnResult(session, in_.done().lease(), in_.done().result());
      return absl::OkStatus();
    case proto::WorkerMessage::kFailed:
      if (in_.failed().code() < 1 || in_.failed().code() > 16) {
        return absl::InvalidArgumentError(StrCat("Failed with code ",
                                                 in_.failed().code(),
                                                 ", which is not an error"));
      }
      sessions.OnFailure(
          session, in_.failed().lease(),
          absl::Status(
              static_cast<absl::StatusCode>(in_.failed().code()),
              rpc::Utf8Prefix(in_.failed().message(), rpc::kMaxFailureBytes)));
      return absl::OkStatus();
    case proto::WorkerMessage::kHello:
      return absl::InvalidArgumentError("a second Hello on one stream");
    default:
      return absl::InvalidArgumentError("a message of an unknown kind");
  }
}

// -------------------------------------------------------------------- end --

void WorkStream::End(const absl::Status& why, Queued queued) {
  if (end_.has_value()) return;
  end_ = why;
  if (queued == Queued::kDrop) {
    queue_.clear();
    // A write that the peer does not take would never end.
    if (writing_) context_->TryCancel();
  }
  PostLeave(why);
}

void WorkStream::PostLeave(const absl::Status& why) {
  if (session_.empty()) return;
  environment_.io.Post([&sessions = environment_.sessions, session = session_,
                        why] { sessions.Leave(session, why); });
}

void WorkStream::Sweep(absl::Time now) {
  const MutexLock lock(mutex_);
  if (finished_ || now - heard_ <= environment_.silence_limit) return;
  if (end_.has_value()) {
    // It does not take the last messages.
    context_->TryCancel();
  } else if (reading_) {
    End(absl::UnavailableError(
            StrCat("worker \"", worker_, "\" said nothing for ",
                   absl::FormatDuration(environment_.silence_limit))),
        Queued::kDrop);
    Pump();
  }
}

void WorkStream::Drain(const absl::Status& why) {
  const MutexLock lock(mutex_);
  End(why, Queued::kSend);
  Pump();
}

void WorkStream::OnCancel() {
  const MutexLock lock(mutex_);
  End(absl::UnavailableError("the connection broke"), Queued::kDrop);
  Pump();
}

void WorkStream::OnDone() {
  environment_.workers.Remove(this);
  self_.reset();  // may be the last owner
}

}  // namespace meanfield::service
