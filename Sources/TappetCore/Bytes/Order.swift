// Comparisons whose ready-made forms in the standard library are large: those of characters, and a sort for each type.

extension String {
  /// Whether its bytes begin with those of `prefix`.
  ///
  /// `hasPrefix` compares characters, and brings the rules by which marks and letters become one.
  public func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

extension Array {
  /// Its elements in the order that `precedes` says.
  public func inOrder(_ precedes: (Element, Element) -> Bool) -> [Element] {
    var ordered: [Element] = []
    for index in indicesInOrder(count: count, { precedes(self[$0], self[$1]) }) { ordered.append(self[index]) }
    return ordered
  }
}

/// Indices are sorted in place of the elements: one sort in the program.
@inline(never)
private func indicesInOrder(count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  Array(0..<count).sorted(by: precedes)
}
