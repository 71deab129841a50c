import Foundation
import TappetCore
import TappetPlatform
import TappetSQLite
import Testing
import TestSupport

@testable import TappetStore

/// Exchanges a name between a file and a link to another file, as fast as it can.
private final class Exchanger: @unchecked Sendable {
  private let lock = NSLock()
  private var isEnding = false
  private let ended = DispatchSemaphore(value: 0)

  init(_ path: String, victim: String) {
    let draft = path + ".draft"
    Thread.detachNewThread { [self] in
      while lock.withLock({ !isEnding }) {
        close(open(draft, O_CREAT | O_WRONLY, 0o644))
        rename(draft, path)
        symlink(victim, draft)
        rename(draft, path)
      }
      ended.signal()
    }
  }

  func end() {
    lock.withLock { isEnding = true }
    ended.wait()
  }
}

@Suite struct DatabaseFolderTests {
  @Test func `replacing a file with a link at any moment never affects the link's target`() throws {
    let path = TestFolder.make("folder")
    let victim = TestFolder.make("victim") + "/file"
    try "x".write(toFile: victim, atomically: false, encoding: .utf8)
    chmod(victim, 0o644)
    let folder = try DatabaseFolder.open(path: path)
    let exchanger = Exchanger(path + "/tappet.db", victim: victim)
    defer { exchanger.end() }
    var outcomes: Set<String> = []
    let isDone = eventually {
      for _ in 0..<5000 {
        do throws(DatabaseError) { outcomes.insert(try folder.tightenFile("tappet.db") ? "done" : "absent") } catch {
          outcomes.insert("refused")
        }
      }
      return outcomes.isSuperset(of: ["done", "refused"])
    }
    #expect(isDone, "\(outcomes)")
    #expect(StateFolder.mode(victim) == 0o644)
  }

  @Test func `a folder with the sticky bit is refused, and keeps its mode`() throws {
    let path = TestFolder.make("folder")
    for mode: mode_t in [0o1777, 0o1775] {
      chmod(path, mode)
      #expect(throws: DatabaseError.sharedFolder(path: path)) { _ = try DatabaseFolder.open(path: path) }
      #expect(StateFolder.mode(path) == mode)
    }
    chmod(path, 0o1700)
    _ = try DatabaseFolder.open(path: path)
    #expect(StateFolder.mode(path) == 0o1700)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `a folder with others' files is refused and keeps its mode, unless they have no access to it`() throws {
    let path = TestFolder.make("folder")
    try "x".write(toFile: path + "/mail", atomically: false, encoding: .utf8)
    chmod(path, 0o2775)
    _ = try DatabaseFolder.open(path: path)
    #expect(StateFolder.mode(path) == 0o2755)
    chown(path + "/mail", 65_534, 65_534)
    _ = try DatabaseFolder.open(path: path)
    chmod(path, 0o2775)
    #expect(throws: DatabaseError.sharedFolder(path: path)) { _ = try DatabaseFolder.open(path: path) }
    #expect(StateFolder.mode(path) == 0o2775)
  }

  @Test func `others' access to a file is removed, and links are refused`() throws {
    let path = TestFolder.make("folder")
    let folder = try DatabaseFolder.open(path: path)
    try "x".write(toFile: path + "/open", atomically: false, encoding: .utf8)
    chmod(path + "/open", 0o664)
    #expect(try folder.tightenFile("open"))
    #expect(StateFolder.mode(path + "/open") == 0o600)
    #expect(try !folder.tightenFile("absent"))
    symlink("open", path + "/link")
    #expect(throws: DatabaseError.wrongFileType(path: path + "/link")) { try folder.tightenFile("link") }
  }

  @Test func `a second kiosk waits for the lock of the first, and gets it once the first has ended`() throws {
    let folder = TemporaryFolder()
    var first = try KioskLock.acquire(folder: folder.path)
    #expect(first != nil)
    let start = Instant.now()
    #expect(try KioskLock.acquire(folder: folder.path) == nil)
    #expect(Instant.now() - start >= Limits.kioskLockMax)
    first = nil
    #expect(try KioskLock.acquire(folder: folder.path) != nil)
  }
}
