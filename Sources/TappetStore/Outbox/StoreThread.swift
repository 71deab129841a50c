// The thread that owns the store, so that a slow card never holds up the lights. Everything that waits when it wakes
// shares one commit. Work on the secrets is done here too, one piece after another, each between two commits: taps come
// first.
//
// It sleeps until it is asked. Removals that the disk refused are tried again with the next write. The use of a secret
// is written with the next commit, for it is not worth a sync of its own; neither is a row of the log of taps, which is
// written without one. A database that turns out to be damaged is
// replaced: what was asked of it fails, and later requests go to the new one.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

// Unchecked because the compiler cannot see the mutex. Any thread touches `waiting`, `waitingWork`, `isWanted`,
// `hasTaps`, `appendCount`, `isStopping` and `isHeartbeatWanted`, but only under it. `store`, `unfinished` and what is
// known of the log of taps belong to the thread alone from `init` on. `thread` is used by `stop` alone, which one
// thread calls once.
/// Runs a store on a thread of its own.
package final class StoreThread: @unchecked Sendable {
  /// The secrets, or the reason why they cannot be had.
  package typealias Secrets = Result<SecretStore, SecretStoreError>

  /// Posts the answer to work on the secrets; `replicaError` says why their replica does not have the change.
  package typealias Reply = @Sendable (_ replicaError: DatabaseError?) -> Void

  /// Something to do with the secrets.
  private struct SecretWork: Sendable {
    var perform: @Sendable (Secrets) -> Reply
    /// It is done even when the thread is to stop.
    var isRequired: Bool
  }

  /// `nil` after a store was closed, until it is opened again.
  private var store: Store?
  /// The store was closed because it is damaged.
  private var isDamaged = false
  private let replace: @Sendable () throws(DatabaseError) -> sending Store
  private let post: @Sendable (StoreEvent) -> Void
  private let monitor = Monitor()
  private var waiting: [StoreRequest] = []
  private var waitingWork: [SecretWork] = []
  /// A waiting request is worth a commit.
  private var isWanted = false
  /// A waiting request about the log of taps is not to wait for the next commit.
  private var hasTaps = false
  private var appendCount = 0
  private var isStopping = false
  private var isHeartbeatWanted = false
  /// Shows whether the thread makes progress.
  package let heartbeat = Heartbeat()
  private var unfinished = StoreBatch.CarriedRemovals()
  /// Work on the secrets has the store.
  private var isAtWork = false
  private var historyAge: Duration?
  private var isHistoryKnown = false
  private var thread: pthread_t?

  /// Takes the store over and starts the thread.
  ///
  /// The thread calls `post` with each answer, and `post` must not block; `submit` calls it for an entry that finds no
  /// room. The thread calls `replace` when the store is damaged and was closed, to open another one. It keeps this
  /// object alive until `stop`.
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

  /// Hands a request over.
  ///
  /// Any thread; never blocks on the disk.
  @export(interface)
  package func submit(_ request: StoreRequest) {
    var refused: EntryID?
    monitor.lock()
    if case .append(let entry) = request, isStopping || appendCount >= Limits.storeAppendsMax {
      refused = entry.id
    } else {
      if case .append = request { appendCount += 1 }
      waiting.append(request)
      isWanted = isWanted || request.isWorthACommit
      hasTaps = hasTaps || request.isForHistoryAtOnce
    }
    let wakes = isWanted || hasTaps
    monitor.unlock()
    // After the unlock: a thread that is woken while the mutex is held goes to sleep on it again.
    if wakes { monitor.signal() }
    if let refused { post(.storeFailed(refused, .busy)) }
  }

  /// Hands work on the secrets over; returns false when too much of it waits.
  ///
  /// The thread calls `perform`, then writes the secrets' replica if they changed, and then calls what `perform`
  /// returned. `isRequired`: the work always finds room, and is done before the thread stops. Any thread; never blocks
  /// on the disk.
  @export(interface)
  package func submit(isRequired: Bool, _ perform: @escaping @Sendable (Secrets) -> Reply) -> Bool {
    monitor.lock()
    let hasRoom = isRequired || !isStopping && waitingWork.count < Limits.secretRequestsMax
    if hasRoom { waitingWork.append(SecretWork(perform: perform, isRequired: isRequired)) }
    monitor.unlock()
    if hasRoom { monitor.signal() }
    return hasRoom
  }

  /// Asks the thread for a heartbeat.
  ///
  /// Any thread.
  package func requestHeartbeat() {
    heartbeat.request()
    monitor.lock()
    isHeartbeatWanted = true
    monitor.signal()
    monitor.unlock()
  }

  /// Finishes what waits, but for work that is not required, and ends the thread.
  ///
  /// Once, from one thread; blocks on the disk.
  @export(interface)
  package func stop() {
    monitor.lock()
    isStopping = true
    waitingWork.removeAll { !$0.isRequired }
    monitor.signal()
    monitor.unlock()
    if let thread { pthread_join(thread, nil) }
    thread = nil
  }

  // MARK: The thread

  private func run() {
    store?.database.releaseStatements()
    preallocateWAL()
    while let (requests, work) = next() {
      serve(requests)
      if let work { perform(work) }
      preallocateWAL()
    }
    if store == nil { return }
    if !unfinished.isEmpty { serve(StoreBatch([], unfinished: unfinished)) }
  }

  /// Prepares the log for the next commits, in a pause; they report what is wrong with the disk.
  private func preallocateWAL() {
    monitor.lock()
    let isPause = !isWanted && !isStopping && waitingWork.isEmpty
    monitor.unlock()
    if isPause {
      shareAgain()
      store?.pruneHistoryInPause(at: SystemClock().now().unixMilliseconds)
      store?.preallocateWAL()
    }
    closeIfDamaged()
  }

  /// Lets other processes open the database again, when the disk has room for the log's index.
  private func shareAgain() {
    // Nothing else may hold it: it must be closed before it is opened.
    guard store.map({ $0.isExclusive && $0.canBeShared }) == true else { return }
    store = nil
    _ = try? openStore()
  }

  /// Waits for something to do: all requests, once one of them is worth a commit, and one piece of work on the secrets.
  ///
  /// `nil` when nothing will come any more.
  private func next() -> (requests: [StoreRequest], work: SecretWork?)? {
    monitor.lock()
    defer { monitor.unlock() }
    while true {
      signalAlive()
      if isWanted || hasTaps || isStopping && !waiting.isEmpty || !waitingWork.isEmpty {
        let requests = isWanted || isStopping ? takeRequests() : takeTaps()
        return (requests, waitingWork.isEmpty ? nil : waitingWork.removeFirst())
      }
      if isStopping { return nil }
      monitor.wait()
    }
  }

  /// The mutex is held.
  ///
  /// A thread that comes here makes progress, however much work there is.
  private func signalAlive() {
    guard isHeartbeatWanted else { return }
    isHeartbeatWanted = false
    heartbeat.beat()
  }

  /// The mutex is held.
  private func takeRequests() -> [StoreRequest] {
    let taken = waiting
    waiting = []
    isWanted = false
    hasTaps = false
    appendCount = 0
    return taken
  }

  /// The mutex is held.
  ///
  /// Returns what is about the log of taps.
  private func takeTaps() -> [StoreRequest] {
    guard hasTaps else { return [] }
    hasTaps = false
    let taken = waiting.filter { $0.isForHistory }
    waiting.removeAll { $0.isForHistory }
    return taken
  }

  /// Serves what has come meanwhile and is worth a commit, in the midst of work on the secrets.
  private func serveWaiting() {
    let requests = monitor.locked {
      signalAlive()
      return isWanted ? takeRequests() : []
    }
    serve(requests)
  }

  private func serve(_ requests: [StoreRequest]) {
    for case .keepHistory(let age) in requests {
      (historyAge, isHistoryKnown) = (age, true)
      store?.historyAge = age
    }
    if requests.isEmpty { return }
    guard requests.contains(where: { !$0.isForHistory }) else { return writeTaps(requests) }
    serve(StoreBatch(requests, unfinished: unfinished))
  }

  /// Writes rows of the log of taps that no commit carries.
  private func writeTaps(_ requests: [StoreRequest]) {
    guard historyAge != nil, let store = try? openStore() else { return }
    try? store.withoutSync { () throws(DatabaseError) in
      for case .noteTap(let record, _) in requests { try store.note(record) }
    }
    closeIfDamaged()
  }

  private func serve(_ batch: StoreBatch) {
    do throws(DatabaseError) {
      let store = try openStore()
      serve(batch, store)
    } catch {
      fail(batch, error.fault)
      for fetch in batch.fetches { post(.outbox(fetch.destination, .fetchFailed(error.fault))) }
    }
    closeIfDamaged()
  }

  /// The store, opened again if it was closed; a new one in place of a damaged one.
  private func openStore() throws(DatabaseError) -> Store {
    if let store { return store }
    let fresh = try replace()
    fresh.defersReplica = true
    if isHistoryKnown { fresh.historyAge = historyAge }
    store = fresh
    if isDamaged || fresh.isReplacement {
      unfinished = StoreBatch.CarriedRemovals()
      post(.replaced)
    }
    isDamaged = false
    return fresh
  }

  /// Closed before its file is renamed: SQLite would take the new one's log away with it.
  private func closeIfDamaged() {
    // Work that has the store open must end first.
    guard !isAtWork, let damage = store?.damage else { return }
    store = nil
    isDamaged = true
    // It was asked of the database that is gone.
    let failed = monitor.locked {
      let work = waitingWork
      waitingWork = []
      return work
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
    // The change is on the disk: a tap does not wait for the replica as well.
    serveWaiting()
    store?.renewStaleReplica()
    reply(store?.replicaError)
    closeIfDamaged()
  }

  // MARK: Batches

  /// Writes first, then reads: what is fetched comes after every answer that was posted before it.
  private func serve(_ batch: StoreBatch, _ store: Store) {
    if batch.writes { write(batch, to: store) }
    for fetch in batch.fetches {
      do throws(DatabaseError) {
        let answer = try store.fetch(
          after: fetch.after, limit: fetch.limit, clockIsGood: fetch.clockIsGood, of: fetch.destination,
          excluding: fetch.excluding)
        post(.outbox(fetch.destination, .fetched(answer.entries, reachedEnd: answer.reachedEnd)))
      } catch { post(.outbox(fetch.destination, .fetchFailed(error.fault))) }
    }
  }

  private func write(_ batch: StoreBatch, to store: Store) {
    do throws(DatabaseError) {
      let events = try batch.commit(to: store)
      unfinished = StoreBatch.CarriedRemovals()
      for event in events { post(event) }
    } catch {
      // To wait once per request for a database that was busy for seconds would take forever.
      if case .busy = error { return fail(batch, error.fault) }
      writeSeparately(batch, to: store)
    }
  }

  /// One entry that cannot be stored does not take the others with it.
  private func writeSeparately(_ batch: StoreBatch, to store: Store) {
    var commonFault: StoreFault?
    for part in batch.separated() {
      if let commonFault {
        fail(part, commonFault)
        continue
      }
      do throws(DatabaseError) {
        let events = try part.commit(to: store)
        if !part.unfinished.isEmpty { unfinished = StoreBatch.CarriedRemovals() }
        for event in events { post(event) }
      } catch {
        fail(part, error.fault)
        if error.fault.concernsAll { commonFault = error.fault }
      }
    }
  }

  private func fail(_ batch: StoreBatch, _ fault: StoreFault) {
    if !batch.unfinished.isEmpty { unfinished = batch.unfinished }
    for event in batch.failed(fault) { post(event) }
  }
}
