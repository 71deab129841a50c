// The thread that the store lives on, so that a slow card never holds up the lights. All that waits when it wakes shares
// one commit. It sleeps until it is asked; removals that the disk refused are tried again with the next write, and the use
// of a secret goes with it too, for it is worth no sync of its own. A database that turns out to be damaged is replaced: what it
// was asked fails, what is asked next goes to the new one.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: `waiting`, `isWanted`, `appendCount` and `isStopping` are touched by
// any thread, but only under it, and so is `isSignWanted`; `store`, `isDamaged` and `unfinished` belong to the thread alone from `init` on; `thread` is used by
// `stop` alone, which one thread calls once.
/// Runs a store on a thread of its own.
public final class StoreThread: @unchecked Sendable {
  /// Nil: the damaged one is closed, and there is no new one yet.
  private var store: Store?
  private let replace: @Sendable () throws(StoreError) -> sending Store
  private let post: @Sendable (StoreEvent) -> Void
  private let monitor = Monitor()
  private var waiting: [StoreRequest] = []
  /// Something waits that is worth a commit.
  private var isWanted = false
  private var appendCount = 0
  private var isStopping = false
  private var isSignWanted = false
  /// Whether the thread goes on.
  public let signs = ThreadSigns()
  private var unfinished: [EntryID] = []
  /// What is being served has met damage.
  private var isDamaged = false
  private var thread: pthread_t?

  /// Takes the store over and starts the thread.
  ///
  /// `post` is called on it with each answer, and must not block; for an entry that finds no room it is called by
  /// `submit`. `replace` is called on it when the store is damaged, and was closed; it opens another one. The thread keeps this
  /// object alive until `stop`.
  public init(
    _ store: sending Store, replace: @escaping @Sendable () throws(StoreError) -> sending Store,
    post: @escaping @Sendable (StoreEvent) -> Void
  ) throws(SystemError) {
    self.store = store
    self.replace = replace
    self.post = post
    thread = try WorkerThread.start("tappet-store", stackSize: Limits.storeThreadStackSize) { self.run() }
  }

  /// Hands a request over.
  ///
  /// Any thread; never blocks on the disk.
  public func submit(_ request: StoreRequest) {
    var refused: EntryID?
    monitor.lock()
    if case .append(let entry) = request, isStopping || appendCount >= Limits.storeAppendsMax {
      refused = entry.id
    } else {
      if case .append = request { appendCount += 1 }
      waiting.append(request)
      isWanted = isWanted || request.isWorthACommit
    }
    let wakes = isWanted
    monitor.unlock()
    // Only now: a thread that is woken while the mutex is held goes to sleep on it again.
    if wakes { monitor.signal() }
    if let refused { post(.storeFailed(refused, .busy)) }
  }

  /// Has the thread give a sign.
  ///
  /// Any thread.
  public func askForSign() {
    signs.ask()
    monitor.lock()
    isSignWanted = true
    monitor.signal()
    monitor.unlock()
  }

  /// Finishes what waits and ends the thread.
  ///
  /// Once, from one thread; blocks on the disk.
  public func stop() {
    monitor.lock()
    isStopping = true
    monitor.signal()
    monitor.unlock()
    if let thread { pthread_join(thread, nil) }
    thread = nil
  }

  // MARK: The thread

  private func run() {
    keepLogRoom()
    while let requests = take() {
      serve(StoreBatch(requests, unfinished: unfinished))
      keepLogRoom()
    }
    if store == nil { return }
    if !unfinished.isEmpty { serve(StoreBatch([], unfinished: unfinished)) }
  }

  /// In a pause; what is wrong with the disk shows with the next commit.
  private func keepLogRoom() {
    monitor.lock()
    let isPause = !isWanted && !isStopping
    monitor.unlock()
    if isPause { store?.keepLogRoom() }
  }

  /// Everything that waits, once something is worth it; nil when nothing will come any more.
  private func take() -> [StoreRequest]? {
    monitor.lock()
    defer { monitor.unlock() }
    while !isWanted {
      if isSignWanted {
        isSignWanted = false
        signs.give()
      }
      if isStopping {
        if waiting.isEmpty { return nil }
        break
      }
      monitor.wait()
    }
    let taken = waiting
    waiting = []
    isWanted = false
    appendCount = 0
    // A sign that is wanted is given before the next rest; so much work as to have none is a sign as well.
    if isSignWanted {
      isSignWanted = false
      signs.give()
    }
    return taken
  }

  private func serve(_ batch: StoreBatch) {
    isDamaged = false
    do throws(StoreError) {
      let store = try openStore()
      serve(batch, store)
    } catch {
      fail(batch, error.fault)
      for _ in batch.fetches { post(.fetchFailed(error.fault)) }
    }
    // Closed before its file is renamed: SQLite would take the new one's log away with it.
    if isDamaged { store = nil }
  }

  /// The store, or a new one in the place of the damaged one.
  private func openStore() throws(StoreError) -> Store {
    if let store { return store }
    let fresh = try replace()
    store = fresh
    unfinished = []
    post(.replaced)
    return fresh
  }

  /// Writes first, then reads: what is fetched stands behind every answer posted before it.
  private func serve(_ batch: StoreBatch, _ store: Store) {
    if batch.writes { write(batch, to: store) }
    for fetch in batch.fetches {
      do throws(StoreError) {
        let answer = try store.fetch(after: fetch.after, limit: fetch.limit, clockIsGood: fetch.clockIsGood)
        post(.fetched(answer.entries, reachedEnd: answer.reachedEnd))
      } catch {
        note(error)
        post(.fetchFailed(error.fault))
      }
    }
  }

  private func note(_ error: StoreError) { if case .corrupt = error { isDamaged = true } }

  private func write(_ batch: StoreBatch, to store: Store) {
    do throws(StoreError) {
      let events = try batch.commit(to: store)
      unfinished = []
      for event in events { post(event) }
    } catch {
      // To wait for a database that was busy for seconds once for each request would be to wait for ever.
      if case .busy = error { return fail(batch, error.fault) }
      note(error)
      writeSeparately(batch, to: store)
    }
  }

  /// One entry that cannot be stored does not take the others with it.
  private func writeSeparately(_ batch: StoreBatch, to store: Store) {
    var trouble: StoreFault?
    for part in batch.separated() {
      if let trouble {
        fail(part, trouble)
        continue
      }
      do throws(StoreError) {
        let events = try part.commit(to: store)
        if !part.removals.isEmpty { unfinished = [] }
        for event in events { post(event) }
      } catch {
        note(error)
        fail(part, error.fault)
        if error.fault.concernsAll { trouble = error.fault }
      }
    }
  }

  private func fail(_ batch: StoreBatch, _ fault: StoreFault) {
    if !batch.removals.isEmpty { unfinished = batch.removals }
    for event in batch.failed(fault) { post(event) }
  }
}
