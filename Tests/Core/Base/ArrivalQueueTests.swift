import Testing

@testable import TappetCore

@Suite struct ArrivalQueueTests {
  @Test func `members can leave in any order, and the others keep their order`() {
    var queue = ArrivalQueue<Int>()
    var plain: [Int] = []
    for number in 0..<2_000 {
      queue.append(number)
      plain.append(number)
      // From the front mostly, and now and then from the middle.
      if number % 3 > 0, let wanted = number % 50 == 1 ? plain[plain.count / 2] : plain.first {
        #expect(queue.remove { $0 == wanted } == wanted)
        plain.removeAll { $0 == wanted }
      }
      #expect(queue.first == plain.first && queue.count == plain.count)
    }
    #expect(Array(queue.all) == plain)
    #expect(queue.remove { $0 == -1 } == nil)
    queue.change(at: 5) { $0 = -1 }
    queue.change(at: plain.count) { $0 = -2 }
    queue.change(at: -1) { $0 = -2 }
    plain[5] = -1
    #expect(Array(queue.all) == plain)
    queue.removeAll()
    #expect(queue.count == 0 && queue.first == nil)
  }
}
