// The topics of a broker as a tree, with counts and last values, in little memory. Reads no clock.

import TappetCore

/// Levels of topics; each counts its own messages and those below it.
struct TopicTree {
  /// A line of the tree.
  struct Row {
    var depth: Int
    var name: String
    /// The value of its last message, shortened; `nil` for a level without a message of its own.
    var value: String?
    var messages: UInt64
    /// Messages in the last whole second.
    var rate: UInt32
    /// Topics below it that are not shown.
    var hidden: Int
  }

  private struct Node {
    var name: String
    var parent: Int32
    var firstChild: Int32 = -1
    var sibling: Int32 = -1
    var depth: Int32
    var messages: UInt64 = 0
    var second: Int64 = 0
    var current: UInt32 = 0
    var last: UInt32 = 0
    /// Topics with a message, itself included.
    var topics: Int32 = 0
    var value: String?

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

  private struct Place: Hashable {
    var parent: Int32
    var name: String
  }

  // The first is the root, which has no name.
  private var nodes = [Node(name: "", parent: -1, depth: 0)]
  private var places: [Place: Int32] = [:]
  private var countByDepth: [Int] = [1]
  private var namesSize = 0
  /// Messages of topics beyond those that are kept.
  private(set) var uncounted: UInt64 = 0

  /// Number of topics with a message.
  var count: Int { Int(nodes[0].topics) }
  /// Number of messages.
  var messages: UInt64 { nodes[0].messages }

  /// Counts a message; `value` is its text.
  mutating func add(_ topic: String, value: String, atSecond second: Int64) {
    guard let leaf = find(topic) else { return uncounted += 1 }
    let isNew = nodes[Int(leaf)].value == nil
    nodes[Int(leaf)].value = value
    var place = leaf
    while place >= 0 {
      nodes[Int(place)].count(atSecond: second, isNew: isNew)
      place = nodes[Int(place)].parent
    }
  }

  /// The topic's node, which is made if there is room.
  private mutating func find(_ topic: String) -> Int32? {
    var place: Int32 = 0
    for level in topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let key = Place(parent: place, name: String(decoding: level, as: UTF8.self))
      guard let next = places[key] ?? insert(key, size: level.count) else { return nil }
      place = next
    }
    return place
  }

  private mutating func insert(_ key: Place, size: Int) -> Int32? {
    guard nodes.count < Limits.treeNodesMax, namesSize + size <= Limits.treeNamesSizeMax else { return nil }
    let above = nodes[Int(key.parent)]
    let new = Int32(nodes.count)
    nodes.append(Node(name: key.name, parent: key.parent, sibling: above.firstChild, depth: above.depth + 1))
    nodes[Int(key.parent)].firstChild = new
    places[key] = new
    namesSize += size
    if countByDepth.count <= Int(above.depth) + 1 { countByDepth.append(0) }
    countByDepth[Int(above.depth) + 1] += 1
    return new
  }

  /// As many levels as fit into this number of lines, each sorted by name; of the first level at least a part.
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

  private mutating func collect(
    below parent: Int32, _ depthMax: Int, _ room: Int, _ second: Int64, into rows: inout [Row]
  ) {
    let children = firstChildren(of: parent, room - rows.count)
    for index in children {
      guard rows.count < room else { return }
      nodes[Int(index)].advance(to: second)
      let node = nodes[Int(index)]
      let isLast = node.depth >= depthMax
      let hidden = isLast ? Int(node.topics) - (node.value == nil ? 0 : 1) : 0
      rows.append(
        Row(
          depth: Int(node.depth) - 1, name: node.name, value: node.value, messages: node.messages, rate: node.last,
          hidden: hidden))
      if !isLast { collect(below: index, depthMax, room, second, into: &rows) }
    }
  }

  /// The children whose names come first; most of a hundred thousand are compared with the last of them alone.
  private func firstChildren(of parent: Int32, _ room: Int) -> [Int32] {
    var best: [Int32] = []
    var place = nodes[Int(parent)].firstChild
    while place >= 0 {
      let name = nodes[Int(place)].name
      if room > Limits.treeRowsInOrderMax {
        best.append(place)
      } else if best.count < room || best.last.map({ name < nodes[Int($0)].name }) ?? false {
        var (low, high) = (0, best.count)
        while low < high {
          let middle = (low + high) / 2
          if nodes[Int(best[middle])].name < name { low = middle + 1 } else { high = middle }
        }
        best.insert(place, at: low)
        if best.count > room { best.removeLast() }
      }
      place = nodes[Int(place)].sibling
    }
    guard room > Limits.treeRowsInOrderMax else { return best }
    best.sort { nodes[Int($0)].name < nodes[Int($1)].name }
    return Array(best.prefix(room))
  }
}
