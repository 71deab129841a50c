import CPlatform
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore
import Testing

@Suite struct ReasonSentenceTests {
  @Test func `a process with too many open files does not blame the card`() {
    let failure = DatabaseFailure(code: 14, systemCode: EMFILE, path: "/s/tappet.db")
    #expect(DatabaseError.ioError(failure).sentence == "/s/tappet.db cannot be opened: Too many open files")
    let worn = DatabaseFailure(code: 10, systemCode: EIO, path: "/s/tappet.db")
    #expect(DatabaseError.ioError(worn).sentence.contains("card may be failing"))
  }

  @Test func `a user who may not open the state folder learns how`() {
    func sentence(_ code: Int32) -> String {
      DatabaseError.cannotOpen(path: "/s", SystemError(call: "open", code: code)).sentence
    }
    #expect(sentence(EACCES) == "/s cannot be opened: Permission denied; use sudo, or correct its owner and mode")
    #expect(sentence(ELOOP) == "/s cannot be opened: Too many levels of symbolic links")
  }

  @Test func `only a kiosk promises to restart its reader`() {
    #expect(ReaderLoss.silent.sentence(device: nil).contains("it is restarted"))
    #expect(ReaderLoss.silent.sentence(device: nil, of: .library).contains("open the reader again"))
    #expect(ReaderLoss.silent.sentence(device: nil, of: .tool).contains("try again"))
  }

  @Test func `a count agrees with its noun`() {
    #expect(plural(1, "message") == "1 message" && plural(0, "message") == "0 messages")
    #expect(plural(UInt64(2), "entry", "entries") == "2 entries")
  }
}
