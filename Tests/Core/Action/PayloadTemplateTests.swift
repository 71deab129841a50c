import Testing

@testable import TappetCore

@Suite struct PayloadTemplateTests {
  private static let id = EntryID(high: 1, low: 0xABCD)
  private static let idText = "0000000000000001000000000000abcd"

  private func fill(_ text: String, token: String? = "<token>") -> String {
    String(decoding: PayloadTemplate(text).fill(token: token, id: PayloadTemplateTests.id), as: UTF8.self)
  }

  @Test func `templates are filled as the vectors specify`() throws {
    for vector in try Vectors.load().substitution {
      #expect(fill(vector.message, token: vector.key_set ? "<token>" : nil) == vector.expect)
    }
  }

  @Test func `only the first %T and the first %I are replaced`() {
    #expect(fill("%T %T %I %I") == "<token> %T \(PayloadTemplateTests.idText) %I")
    #expect(fill("%I%T") == PayloadTemplateTests.idText + "<token>")
    #expect(fill("%%I") == "%" + PayloadTemplateTests.idText)
  }

  @Test func `placeholders in inserted text are not replaced`() {
    #expect(fill("%T", token: "%I%T") == "%I%T")
    #expect(fill("%T%I", token: "%I") == "%I" + PayloadTemplateTests.idText)
    #expect(fill("%%TT", token: "") == "%T")
  }

  @Test(arguments: ["", "%", "T", "%t", "%i", "% T", "100%", "%%", "é客☕"])
  func `a message without placeholders is sent unchanged`(text: String) {
    #expect(fill(text) == text)
    #expect(!PayloadTemplate(text).usesTimestamp && !PayloadTemplate(text).usesID)
  }

  @Test func `a template detects its placeholders, even without a key`() {
    #expect(PayloadTemplate("a%Tb").usesTimestamp && !PayloadTemplate("a%Tb").usesID)
    #expect(PayloadTemplate("a%Ib").usesID && !PayloadTemplate("a%Ib").usesTimestamp)
    #expect(fill("a%Tb%I", token: nil) == "a%Tb" + PayloadTemplateTests.idText)
  }

  @Test func `all other bytes of the text stay unchanged`() {
    #expect(fill("客%T☕\u{0}\n%I") == "客<token>☕\u{0}\n" + PayloadTemplateTests.idText)
  }
}
