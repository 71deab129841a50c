// Comparison and sorting without the standard library's large generic implementations, which compare characters instead
// of bytes and add a copy of the sort for each type.

extension String {
  /// Whether the bytes of the text start with the bytes of `prefix`.
  ///
  /// `hasPrefix` compares characters, for which it links the Unicode tables of combining marks.
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

/// Sorts indices instead of elements, so that the program contains only one copy of the sort.
@inline(never)
private func indicesInOrder(count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  Array(0..<count).sorted(by: precedes)
}
