// A compact tree of a broker's topics, with counts and last values. Reads no clock.

import TappetCommandLine
import TappetCore

/// A tree of topic levels; each level counts its own messages and those below it.
struct TopicTree {
  /// A line of the tree.
  struct Row {
    var depth: Int
    var name: String
    /// The value of the level's last message, shortened; `nil` if no message was published to the level itself.
    var value: String?
    var messages: UInt64
    /// Number of messages in the last complete second.
    var rate: UInt32
    /// Number of topics below this level that are not shown.
    var hidden: Int
  }

  // A node occupies 56 bytes; names and values are stored elsewhere, without a separate object for each.
  private struct Node {
    var nameOffset: UInt32
    var nameSize: UInt16
    var depth: UInt16
    var parent: Int32
    var firstChild: Int32 = -1
    var sibling: Int32 = -1
    /// Number of topics with a message at or below this level.
    var topics: Int32 = 0
    /// Index of the level's value; -1 until the level itself receives a message.
    var value: Int32 = -1
    var current: UInt32 = 0
    var last: UInt32 = 0
    var messages: UInt64 = 0
    var second: Int64 = 0

    mutating func count(atSecond now: Int64, isNew: Bool) {
      advance(to: now)
      messages += 1
      current &+= 1
      if isNew { topics += 1 }
    }

    mutating func advance(to now: Int64) {
      guard now > second else { return }
      last = now == second + 1 ? current : 0
      current = 0
      second = now
    }
  }

  // The first node is the root, which has no name.
  private var nodes = [Node(nameOffset: 0, nameSize: 0, depth: 0, parent: -1)]
  private var names: [UInt8] = []
  private var values: [String] = []
  // Hash table of nodes by parent and name, with linear probing. Its size is a power of two; at most half is used.
  private var table = [Int32](repeating: -1, count: 64)
  private var countByDepth: [Int] = [1]
  /// Number of messages on topics for which the tree had no space.
  private(set) var uncounted: UInt64 = 0

  /// Number of topics with a message.
  var count: Int { Int(nodes[0].topics) }
  /// Number of messages.
  var messages: UInt64 { nodes[0].messages }

  /// Counts a message; `value` is its text.
  mutating func add(_ topic: String, value: String, atSecond second: Int64) {
    guard let leaf = find(topic) else { return uncounted += 1 }
    let isNew = nodes[Int(leaf)].value < 0
    if isNew {
      nodes[Int(leaf)].value = Int32(values.count)
      values.append(value)
    } else {
      values[Int(nodes[Int(leaf)].value)] = value
    }
    var place = leaf
    while place >= 0 {
      nodes[Int(place)].count(atSecond: second, isNew: isNew)
      place = nodes[Int(place)].parent
    }
  }

  /// Finds the topic's node, creating it if there is space.
  private mutating func find(_ topic: String) -> Int32? {
    var topic = topic
    return topic.withUTF8 { text in
      let bytes = UnsafeRawBufferPointer(text)
      var (place, start): (Int32, Int) = (0, 0)
      while nodes[Int(place)].depth < Limits.treeDepthMax {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        guard let next = child(of: place, UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else { return nil }
        place = next
        if end == bytes.endIndex { return place }
        start = end + 1
      }
      return nil
    }
  }

  private mutating func child(of parent: Int32, _ name: UnsafeRawBufferPointer) -> Int32? {
    var slot = Self.hash(parent, name) & (table.count - 1)
    while table[slot] >= 0 {
      let node = nodes[Int(table[slot])]
      if node.parent == parent, names[Self.range(node)].elementsEqual(name) { return table[slot] }
      slot = (slot + 1) & (table.count - 1)
    }
    guard nodes.count < Limits.treeNodesMax, names.count + name.count <= Limits.treeNamesSizeMax else { return nil }
    let new = Int32(nodes.count)
    table[slot] = new
    insert(below: parent, name)
    if nodes.count * 2 > table.count { growTable() }
    return new
  }

  private mutating func insert(below parent: Int32, _ name: UnsafeRawBufferPointer) {
    let above = nodes[Int(parent)]
    let depth = above.depth + 1
    var node = Node(
      nameOffset: UInt32(names.count), nameSize: UInt16(clamping: name.count), depth: depth, parent: parent)
    node.sibling = above.firstChild
    nodes[Int(parent)].firstChild = Int32(nodes.count)
    nodes.append(node)
    names.append(contentsOf: name)
    if countByDepth.count <= Int(depth) { countByDepth.append(0) }
    countByDepth[Int(depth)] += 1
  }

  private mutating func growTable() {
    var larger = [Int32](repeating: -1, count: table.count * 2)
    names.withUnsafeBytes { bytes in
      for index in 1..<nodes.count {
        let name = UnsafeRawBufferPointer(rebasing: bytes[Self.range(nodes[index])])
        var slot = Self.hash(nodes[index].parent, name) & (larger.count - 1)
        while larger[slot] >= 0 { slot = (slot + 1) & (larger.count - 1) }
        larger[slot] = Int32(index)
      }
    }
    table = larger
  }

  /// Computes a hash keyed with a secret of this process, so that no choice of topics can make the table slow.
  private static func hash(_ parent: Int32, _ name: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(parent)
    hasher.combine(bytes: name)
    return hasher.finalize()
  }

  private static func range(_ node: Node) -> Range<Int> {
    Int(node.nameOffset)..<Int(node.nameOffset) + Int(node.nameSize)
  }

  /// Returns the levels that fit into `room` lines, each sorted by name, but at least part of the first level.
  mutating func rows(_ room: Int, atSecond second: Int64) -> [Row] {
    var depth = 0
    var size = 0
    while depth + 1 < countByDepth.count, depth == 0 || size + countByDepth[depth + 1] <= room {
      depth += 1
      size += countByDepth[depth]
    }
    var rows: [Row] = []
    collect(below: 0, depth, room, second, into: &rows)
    return rows
  }

  /// Returns the topics with the most messages, by their full names.
  mutating func busiest(_ room: Int, atSecond second: Int64) -> [Row] {
    let countMax = min(room, Limits.treeRowsInOrderMax)
    // Without the messages of the levels below.
    var own = nodes.map { $0.messages }
    for node in nodes.dropFirst() { own[Int(node.parent)] -= node.messages }
    var best: [Int32] = []
    for index in 1..<Int32(max(1, nodes.count)) where nodes[Int(index)].value >= 0 {
      if best.count == countMax, let last = best.last, own[Int(last)] >= own[Int(index)] { continue }
      best.insert(index, at: best.firstIndex { own[Int($0)] < own[Int(index)] } ?? best.count)
      if best.count > countMax { best.removeLast() }
    }
    return best.map { index in
      nodes[Int(index)].advance(to: second)
      let node = nodes[Int(index)]
      var (rate, child) = (node.last, node.firstChild)
      while child >= 0 {
        nodes[Int(child)].advance(to: second)
        rate -= min(rate, nodes[Int(child)].last)
        child = nodes[Int(child)].sibling
      }
      return Row(
        depth: 0, name: topic(index), value: values[Int(node.value)], messages: own[Int(index)], rate: rate, hidden: 0)
    }
  }

  private func topic(_ index: Int32) -> String {
    let node = nodes[Int(index)]
    let name = String(decoding: names[Self.range(node)], as: UTF8.self)
    return node.parent > 0 ? topic(node.parent) + "/" + name : name
  }

  private mutating func collect(
    below parent: Int32, _ depthMax: Int, _ room: Int, _ second: Int64, into rows: inout [Row]
  ) {
    let children = firstChildren(of: parent, room - rows.count)
    for index in children {
      guard rows.count < room else { return }
      nodes[Int(index)].advance(to: second)
      let node = nodes[Int(index)]
      let isLast = node.depth >= depthMax
      let value = node.value < 0 ? nil : values[Int(node.value)]
      let hidden = isLast ? Int(node.topics) - (value == nil ? 0 : 1) : 0
      rows.append(
        Row(
          depth: Int(node.depth) - 1, name: String(decoding: names[Self.range(node)], as: UTF8.self), value: value,
          messages: node.messages, rate: node.last, hidden: hidden))
      if !isLast { collect(below: index, depthMax, room, second, into: &rows) }
    }
  }

  /// Returns the first `room` children by name; among a hundred thousand, most are compared only with the last child
  /// found so far.
  private func firstChildren(of parent: Int32, _ room: Int) -> [Int32] {
    var best: [Int32] = []
    var place = nodes[Int(parent)].firstChild
    while place >= 0 {
      if room > Limits.treeRowsInOrderMax {
        best.append(place)
      } else if best.count < room || best.last.map({ isBefore(place, $0) }) ?? false {
        var (low, high) = (0, best.count)
        while low < high {
          let middle = (low + high) / 2
          if isBefore(best[middle], place) { low = middle + 1 } else { high = middle }
        }
        best.insert(place, at: low)
        if best.count > room { best.removeLast() }
      }
      place = nodes[Int(place)].sibling
    }
    guard room > Limits.treeRowsInOrderMax else { return best }
    best.sort { isBefore($0, $1) }
    return Array(best.prefix(room))
  }

  /// Compares names bytewise, which is also their order by Unicode scalars.
  private func isBefore(_ one: Int32, _ other: Int32) -> Bool {
    names.withUnsafeBytes { bytes in
      bytes[Self.range(nodes[Int(one)])].lexicographicallyPrecedes(bytes[Self.range(nodes[Int(other)])])
    }
  }
}
