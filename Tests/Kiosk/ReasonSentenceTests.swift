import CPlatform
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore
import Testing

@Suite struct ReasonSentenceTests {
  @Test func `a process with too many open files does not blame the card`() {
    let failure = StoreFailure(code: 14, systemCode: EMFILE, path: "/s/tappet.db")
    #expect(StoreError.ioError(failure).sentence == "/s/tappet.db cannot be opened: Too many open files")
    let worn = StoreFailure(code: 10, systemCode: EIO, path: "/s/tappet.db")
    #expect(StoreError.ioError(worn).sentence.contains("card may be failing"))
  }

  @Test func `only a kiosk promises to restart its reader`() {
    #expect(ReaderLoss.silent.sentence(device: nil).contains("started again"))
    #expect(ReaderLoss.silent.sentence(device: nil, of: .library).contains("open the reader again"))
    #expect(ReaderLoss.silent.sentence(device: nil, of: .tool).contains("try again"))
  }
}
