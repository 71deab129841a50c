// Comparison and sorting without the standard library's large generic implementations, which compare characters and
// add a sort for each type.

extension String {
  /// Whether its bytes start with those of `prefix`.
  ///
  /// `hasPrefix` compares characters, and links the Unicode tables for combining marks.
  package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

extension Array {
  /// Returns the elements in the order that `precedes` defines.
  package func inOrder(_ precedes: (Element, Element) -> Bool) -> [Element] {
    var ordered: [Element] = []
    for index in indicesInOrder(count: count, { precedes(self[$0], self[$1]) }) { ordered.append(self[index]) }
    return ordered
  }
}

/// Sorts indices instead of elements, so that the program contains only one sort.
@inline(never)
private func indicesInOrder(count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  Array(0..<count).sorted(by: precedes)
}
