// The thread that owns the store, so that a slow card never delays the lights. All requests that are pending when the
// thread wakes share one commit. Work on the secrets also runs here, one item at a time between two commits: taps have
// priority.
//
// The thread sleeps until a request arrives. Removals that the disk refused are retried with the next write. The use of
// a secret does not justify a separate sync and is written with the next commit; a row of the tap log is written
// without a sync. A damaged database is replaced: its pending requests fail, and later requests go to the new database.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

// Unchecked because the compiler cannot see the threads: `store`, `unfinished` and the state of the tap log belong to
// the store thread alone from `init` on. `thread` is used only by `stop`, which is called once, by one thread.
/// Runs a store on a dedicated thread.
package final class StoreThread: @unchecked Sendable {
  /// The secrets, or the reason why they are unavailable.
  package typealias Secrets = Result<SecretStore, SecretStoreError>

  /// Posts the result of a unit of work on the secrets; `replicaError` is the reason why the replica does not contain
  /// the change.
  package typealias Reply = @Sendable (_ replicaError: DatabaseError?) -> Void

  /// A unit of work on the secrets.
  private struct SecretWork: Sendable {
    var perform: @Sendable (Secrets) -> Reply
    /// Whether the work is performed even if the thread is stopping.
    var isRequired: Bool
  }

  /// The work that other threads have queued, and their orders.
  private struct Shared: Sendable {
    private(set) var requests: [StoreRequest] = []
    var work: [SecretWork] = []
    var isStopping = false
    var isHeartbeatWanted = false
    /// Whether a pending request justifies a commit.
    private(set) var isWanted = false
    /// Whether a pending request that only records taps must not wait for the next commit.
    private var hasTaps = false
    private var appendCount = 0

    /// Whether the thread has something to do.
    var isDue: Bool { isWanted || hasTaps || isStopping && !requests.isEmpty || !work.isEmpty }
    /// Whether a request is pending that must be served without waiting for another.
    var wakes: Bool { isWanted || hasTaps }

    /// Queues a request; returns false if there is no room for an entry.
    mutating func add(_ request: StoreRequest) -> Bool {
      if case .append = request {
        if isStopping || appendCount >= Limits.storeAppendsMax { return false }
        appendCount += 1
      }
      requests.append(request)
      isWanted = isWanted || request.isWorthACommit
      hasTaps = hasTaps || request.recordsTapsAtOnce
      return true
    }

    /// Takes all pending requests if one of them justifies a commit, otherwise those that only record taps.
    mutating func takeRequests() -> [StoreRequest] {
      guard isWanted || isStopping else { return takeTaps() }
      defer { (requests, isWanted, hasTaps, appendCount) = ([], false, false, 0) }
      return requests
    }

    private mutating func takeTaps() -> [StoreRequest] {
      guard hasTaps else { return [] }
      hasTaps = false
      defer { requests.removeAll { $0.recordsTaps } }
      return requests.filter { $0.recordsTaps }
    }
  }

  /// The next step of the thread.
  private enum Next {
    case serve([StoreRequest], SecretWork?)
    case end
  }

  /// The open store; `nil` after it was closed, until it is opened again.
  private var store: Store?
  /// Whether the store was closed because it is damaged.
  private var isDamaged = false
  private let replace: @Sendable () throws(DatabaseError) -> sending Store
  private let post: @Sendable (StoreEvent) -> Void
  private let shared = Mutexed(Shared())
  /// Heartbeat that shows whether the thread makes progress.
  package let heartbeat = Heartbeat()
  /// Removals that a commit did not contain.
  private var unfinished: [StoreRequest] = []
  /// Whether work on the secrets is using the store.
  private var isAtWork = false
  private var historyAge: Duration?
  private var isHistoryKnown = false
  private var thread: pthread_t?

  /// Takes ownership of the store and starts the thread.
  ///
  /// The thread calls `post` with each reply, and `post` must not block; `submit` calls it for an entry that is
  /// rejected because the queue is full. The thread calls `replace` to open a new store after the store was closed, for
  /// example because of damage. The thread keeps this object alive until `stop`.
  @export(interface)
  package init(
    _ store: sending Store, replace: @escaping @Sendable () throws(DatabaseError) -> sending Store,
    post: @escaping @Sendable (StoreEvent) -> Void
  ) throws(SystemError) {
    store.defersReplica = true
    self.store = store
    self.replace = replace
    self.post = post
    thread = try WorkerThread.start("tappet-store", stackSize: Limits.storeThreadStackSize) { self.run() }
  }

  /// Queues a request for the thread.
  ///
  /// Callable from any thread; never blocks on the disk.
  @export(interface)
  package func submit(_ request: StoreRequest) {
    let (isQueued, wakes) = shared.locked { shared in (shared.add(request), shared.wakes) }
    if wakes { shared.signal() }
    if !isQueued, case .append(let entry) = request { post(.storeFailed(entry.id, .busy)) }
  }

  /// Queues work on the secrets; returns false if too much work is pending.
  ///
  /// The thread calls `perform`, then writes the secrets' replica if they changed, and then calls the closure that
  /// `perform` returned. With `isRequired`, the work is always accepted, and is performed before the thread stops.
  /// Callable from any thread; never blocks on the disk.
  @export(interface)
  package func submit(isRequired: Bool, _ perform: @escaping @Sendable (Secrets) -> Reply) -> Bool {
    let hasRoom = shared.locked { shared in
      let hasRoom = isRequired || !shared.isStopping && shared.work.count < Limits.secretRequestsMax
      if hasRoom { shared.work.append(SecretWork(perform: perform, isRequired: isRequired)) }
      return hasRoom
    }
    if hasRoom { shared.signal() }
    return hasRoom
  }

  /// Requests a heartbeat from the thread.
  ///
  /// Callable from any thread.
  package func requestHeartbeat() {
    heartbeat.request()
    shared.locked { $0.isHeartbeatWanted = true }
    shared.signal()
  }

  /// Finishes all pending requests and required work, and stops the thread.
  ///
  /// Must be called only once, from one thread; blocks on the disk.
  @export(interface)
  package func stop() {
    shared.locked { shared in
      shared.isStopping = true
      shared.work.removeAll { !$0.isRequired }
    }
    shared.signal()
    if let thread { pthread_join(thread, nil) }
    thread = nil
  }

  // MARK: The thread

  private func run() {
    store?.database.releaseStatements()
    preallocateWAL()
    while case .serve(let requests, let work) = next() {
      serve(requests)
      if let work { perform(work) }
      preallocateWAL()
    }
    if store != nil, !unfinished.isEmpty { serve(StoreBatch(unfinished)) }
  }

  /// Preallocates the write-ahead log for the next commits while idle; those commits report disk errors.
  private func preallocateWAL() {
    if shared.locked({ !$0.isWanted && !$0.isStopping && $0.work.isEmpty }) {
      shareAgain()
      store?.pruneHistoryInPause(at: SystemClock().now().unixMilliseconds)
      store?.preallocateWAL()
    }
    closeIfDamaged()
  }

  /// Lets other processes open the database again once the disk has room for the WAL index.
  private func shareAgain() {
    // No other reference may exist: the store must be closed before it is opened again.
    guard store.map({ $0.isExclusive && $0.canBeShared }) == true else { return }
    store = nil
    _ = try? openStore()
  }

  /// Waits for work: all requests, once one of them justifies a commit, and one unit of work on the secrets.
  ///
  /// It ends once the thread is stopping and nothing is pending.
  private func next() -> Next {
    shared.wait { shared in
      signalAlive(&shared)
      if shared.isDue { return .serve(shared.takeRequests(), shared.work.isEmpty ? nil : shared.work.removeFirst()) }
      return shared.isStopping ? .end : nil
    }
  }

  /// Confirms a pending heartbeat request.
  ///
  /// A thread that reaches this point makes progress, however much work is pending.
  private func signalAlive(_ shared: inout Shared) {
    guard shared.isHeartbeatWanted else { return }
    shared.isHeartbeatWanted = false
    heartbeat.confirm()
  }

  /// Serves the pending requests during work on the secrets, if one of the requests justifies a commit.
  private func serveWaiting() {
    let requests = shared.locked { shared in
      signalAlive(&shared)
      return shared.isWanted ? shared.takeRequests() : []
    }
    serve(requests)
  }

  private func serve(_ requests: [StoreRequest]) {
    for case .keepHistory(let age) in requests {
      (historyAge, isHistoryKnown) = (age, true)
      store?.historyAge = age
    }
    if requests.isEmpty { return }
    guard requests.contains(where: { !$0.recordsTaps }) else { return writeTaps(requests) }
    serve(StoreBatch(unfinished + requests))
  }

  /// Records taps that are not part of any other commit.
  private func writeTaps(_ requests: [StoreRequest]) {
    guard let store = try? openStore() else { return }
    try? store.withoutSync { () throws(DatabaseError) in
      for request in requests {
        var events: [StoreEvent] = []
        try request.perform(in: store, &events)
      }
    }
    closeIfDamaged()
  }

  private func serve(_ batch: StoreBatch) {
    do throws(DatabaseError) {
      let store = try openStore()
      serve(batch, store)
    } catch {
      fail(batch, error.fault)
      for fetch in batch.fetches { if let event = fetch.failed(error.fault) { post(event) } }
    }
    closeIfDamaged()
  }

  /// Returns the store; if it was closed, reopens it or opens a replacement for a damaged store.
  private func openStore() throws(DatabaseError) -> Store {
    if let store { return store }
    let fresh = try replace()
    fresh.defersReplica = true
    if isHistoryKnown { fresh.historyAge = historyAge }
    store = fresh
    if isDamaged || fresh.isReplacement {
      unfinished = []
      post(.replaced)
    }
    isDamaged = false
    return fresh
  }

  /// Closes a damaged store before its file is renamed: otherwise SQLite would delete the new database's log.
  private func closeIfDamaged() {
    // Work that is using the store must finish first.
    guard !isAtWork, let damage = store?.damage else { return }
    store = nil
    isDamaged = true
    // The pending work was intended for the database that has been closed.
    let failed = shared.locked { shared in
      defer { shared.work = [] }
      return shared.work
    }
    for work in failed { work.perform(.failure(.store(damage)))(nil) }
  }

  // MARK: Secrets

  private func perform(_ work: SecretWork) {
    let reply: Reply
    do throws(SecretStoreError) {
      let store: Store
      do throws(DatabaseError) { store = try openStore() } catch { throw .store(error) }
      var secrets = try SecretStore(store)
      secrets.pause = { self.serveWaiting() }
      isAtWork = true
      defer { isAtWork = false }
      reply = work.perform(.success(secrets))
    } catch { reply = work.perform(.failure(error)) }
    // The change is already on disk, so taps need not wait for the replica.
    serveWaiting()
    store?.renewStaleReplica()
    reply(store?.replicaError)
    closeIfDamaged()
  }

  // MARK: Batches

  /// Writes first, then reads, so that fetched entries are posted after the replies to all earlier requests.
  private func serve(_ batch: StoreBatch, _ store: Store) {
    if batch.writes { write(batch, to: store) }
    for fetch in batch.fetches {
      do throws(DatabaseError) {
        var events: [StoreEvent] = []
        try fetch.perform(in: store, &events)
        for event in events { post(event) }
      } catch { if let event = fetch.failed(error.fault) { post(event) } }
    }
  }

  private func write(_ batch: StoreBatch, to store: Store) {
    do throws(DatabaseError) {
      let events = try batch.commit(to: store)
      unfinished = []
      for event in events { post(event) }
    } catch {
      // Waiting again for each request would take too long: the database has already been busy for seconds.
      if case .busy = error { return fail(batch, error.fault) }
      writeSeparately(batch, to: store)
    }
  }

  /// Commits each request separately, so that an entry that cannot be stored does not cause the others to fail.
  private func writeSeparately(_ batch: StoreBatch, to store: Store) {
    var commonFault: StoreFault?
    for part in batch.separated() {
      if let commonFault {
        fail(part, commonFault)
        continue
      }
      do throws(DatabaseError) {
        let events = try part.commit(to: store)
        if !part.removals.isEmpty { unfinished = [] }
        for event in events { post(event) }
      } catch {
        fail(part, error.fault)
        if error.fault.concernsAll { commonFault = error.fault }
      }
    }
  }

  private func fail(_ batch: StoreBatch, _ fault: StoreFault) {
    if !batch.removals.isEmpty { unfinished = batch.removals }
    for event in batch.failed(fault) { post(event) }
  }
}
