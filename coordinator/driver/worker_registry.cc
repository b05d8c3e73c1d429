#include "coordinator/driver/worker_registry.h"

#include <utility>

namespace meanfield::driver {

std::optional<Worker> WorkerRegistry::Add(Worker worker) {
  std::optional<Worker> replaced;
  const auto old = workers_.find(worker.identity.name);
  if (old != workers_.end()) {
    replaced = std::move(old->second);
    workers_.erase(old);
  }
  const std::string name = worker.identity.name;
  workers_.emplace(name, std::move(worker));
  return replaced;
}

std::optional<Worker> WorkerRegistry::Remove(const std::string& session) {
  Worker* worker = FindSession(session);
  if (worker == nullptr) return std::nullopt;
  Worker removed = std::move(*worker);
  workers_.erase(removed.identity.name);
  return removed;
}

Worker* WorkerRegistry::Find(const std::string& name) {
  const auto worker = workers_.find(name);
  return worker == workers_.end() ? nullptr : &worker->second;
}

Worker* WorkerRegistry::FindSession(const std::string& session) {
  for (auto& [name, worker] : workers_) {
    if (worker.session == session) return &worker;
  }
  return nullptr;
}

void WorkerRegistry::ForgetBlob(const std::string& id) {
  for (auto& [name, worker] : workers_) worker.held_blobs.erase(id);
}

void WorkerRegistry::ForgetAllBlobs() {
  for (auto& [name, worker] : workers_) worker.held_blobs.clear();
}

}  // namespace meanfield::driver
