# Builds feedutils from its source tarball: brew install --build-from-source ./feedutils.rb
class Feedutils < Formula
  desc "Unix filters for live and paged feeds"
  homepage "@HOMEPAGE@"
  url "@HOMEPAGE@/releases/download/v@VERSION@/feedutils-@VERSION@.tar.gz"
  sha256 "@SOURCE_SHA256@"
  license all_of: ["MIT", "Apache-2.0" => { with: "Swift-exception" }]

  uses_from_macos "swift" => :build, since: :tahoe
  uses_from_macos "curl"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # SwiftPM's own sandbox does not work inside Homebrew's.
    system "make", "install", "PREFIX=#{prefix}", "SWIFTFLAGS=--disable-sandbox"
  end

  test do
    assert_equal "{\"a\":2}\n", pipe_output("#{bin}/jpatch -e '{\"a\":2}'", "{\"a\":1}\n", 0)
  end
end
