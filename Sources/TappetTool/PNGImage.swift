// Pictures as PNG, by libpng. The one file that imports CPNG.

import CPNG
import TappetCore

/// Writes PNG.
enum PNGImage {
  /// A square of grey pixels, `width` on a side; nil when libpng had no memory.
  static func encode(grey pixels: [UInt8], width: Int) -> [UInt8]? {
    guard let side = UInt32(exactly: width), pixels.count == width * width else { return nil }
    var image = png_image()
    defer { png_image_free(&image) }
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = side
    image.height = side
    // PNG_FORMAT_GRAY, one byte a pixel, is the absence of all flags.
    image.format = 0
    var size: png_alloc_size_t = 0
    guard png_image_write_to_memory(&image, nil, &size, 0, pixels, 0, nil) != 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    guard png_image_write_to_memory(&image, &bytes, &size, 0, pixels, 0, nil) != 0 else { return nil }
    bytes.removeLast(bytes.count - Int(size))
    return bytes
  }
}
