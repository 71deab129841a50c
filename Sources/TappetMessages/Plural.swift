// A count together with its noun.

/// Returns the count and its noun: `1 entry`, `2 entries`; without `many`, the plural ends in "s".
package func plural(_ count: some FixedWidthInteger, _ one: String, _ many: String? = nil) -> String {
  let noun = count == 1 ? one : many ?? one + "s"
  return String(count) + " " + noun
}
