extension [UInt8] {
  /// Appends a span by one memcpy(3).
  @inlinable @inline(__always)
  public mutating func append(span: borrowing Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
