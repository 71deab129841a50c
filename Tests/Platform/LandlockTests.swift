// The rights that Landlock's versions know, as landlock(7) lists them.

import Testing

@testable import TappetPlatform

@Suite struct LandlockTests {
  @Test func `each kernel version gets exactly the Landlock rights that it supports`() {
    #expect([1, 2, 3, 4, 5, 9].map { Landlock.fileRights($0) } == [0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF, 0xFFFF])
    #expect([1, 3, 4, 5].map { Landlock.networkRights($0, mayConnect: false) } == [0, 0, 3, 3])
    #expect([1, 3, 4, 5].map { Landlock.networkRights($0, mayConnect: true) } == [0, 0, 1, 1])
    #expect([1, 5, 6, 9].map { Landlock.scopes($0) } == [0, 0, 3, 3])
  }
}
