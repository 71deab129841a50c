// Comparison and sorting without the large ready-made forms of the standard library: those compare characters, and
// bring a sort for each type.

extension String {
  /// Whether its bytes begin with those of `prefix`.
  ///
  /// `hasPrefix` compares characters, and brings the rules by which marks and letters combine.
  package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

extension Array {
  /// Returns its elements in the order that `precedes` defines.
  package func inOrder(_ precedes: (Element, Element) -> Bool) -> [Element] {
    var ordered: [Element] = []
    for index in indicesInOrder(count: count, { precedes(self[$0], self[$1]) }) { ordered.append(self[index]) }
    return ordered
  }
}

/// Sorts indices instead of elements, so that the program holds only one sort.
@inline(never)
private func indicesInOrder(count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  Array(0..<count).sorted(by: precedes)
}
