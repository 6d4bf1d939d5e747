// SQLite on the disk of the world: a virtual file system (https://sqlite.org/vfs.html). So paginate's store is the real one,
// and a process may die between any two of its reads and writes, or within one.

import CSQLite
import FeedCore
import Glibc

enum SQLiteDisk {
  /// A file that SQLite has open.
  private final class Opened {
    let file: File
    let name: [UInt8]?
    var regions: [UnsafeMutableRawPointer] = []

    init(_ file: File, _ name: [UInt8]?) {
      self.file = file
      self.name = name
    }

    deinit { for region in regions { region.deallocate() } }
  }

  /// What SQLite keeps of an open file: its methods come first.
  private struct Handle {
    var base = sqlite3_file()
    var opened: Unmanaged<Opened>?
  }

  private static var world: World { SimulatedMachine.world }

  private static func enter(hasEffect: Bool = false) -> SimulatedProcess.Entry {
    world.process?.enter(hasEffect: hasEffect) ?? .dead
  }

  private static func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<Handle>? {
    UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: Handle.self)
  }

  private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Opened {
    guard let opened = handle(file)?.pointee.opened else { fatalError("SQLite uses a file that is not open") }
    return opened.takeUnretainedValue()
  }

  private static func path(_ name: UnsafePointer<CChar>?) -> [UInt8] { name.map { [UInt8](cString: $0) } ?? [] }

  nonisolated(unsafe) private static var methods: sqlite3_io_methods = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { file in
      let handle = SQLiteDisk.handle(file)
      handle?.pointee.opened?.release()
      handle?.pointee.opened = nil
      return SQLITE_OK
    }
    methods.xRead = { file, target, count, offset in
      guard SQLiteDisk.enter() == .alive else { return SQLITE_IOERR_READ }
      let content = SQLiteDisk.opened(file).file
      let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
      let part = content.bytes[min(Int(offset), content.bytes.count)...].prefix(Int(count))
      target.copyBytes(from: part)
      if part.count == Int(count) { return SQLITE_OK }
      for index in part.count..<Int(count) { target[index] = 0 }
      return SQLITE_IOERR_SHORT_READ
    }
    methods.xWrite = { file, source, count, offset in
      let entry = SQLiteDisk.enter(hasEffect: true)
      if entry == .dead { return SQLITE_IOERR_WRITE }
      let whole = entry == .alive ? Int(count) : SQLiteDisk.world.choices.below(Int(count) + 1)
      SQLiteDisk.opened(file).file.write(UnsafeRawBufferPointer(start: source, count: whole), at: Int(offset))
      return entry == .alive ? SQLITE_OK : SQLITE_IOERR_WRITE
    }
    methods.xTruncate = { file, size in
      guard SQLiteDisk.enter(hasEffect: true) == .alive else { return SQLITE_IOERR_TRUNCATE }
      SQLiteDisk.opened(file).file.truncate(to: Int(size))
      return SQLITE_OK
    }
    methods.xSync = { file, _ in
      guard SQLiteDisk.enter(hasEffect: true) == .alive else { return SQLITE_IOERR_FSYNC }
      SQLiteDisk.opened(file).file.sync()
      // As the one for Unix does, which syncs the folder after it has created a file.
      SQLiteDisk.world.disk.syncFolder()
      return SQLITE_OK
    }
    methods.xFileSize = { file, size in
      size?.pointee = sqlite3_int64(SQLiteDisk.opened(file).file.bytes.count)
      return SQLITE_OK
    }
    // One process runs at a time, and it opens the database once.
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, isReserved in
      isReserved?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    // The index of the log is in memory that ends with the last process that has it.
    methods.xShmMap = { file, region, size, isExtended, found in
      let opened = SQLiteDisk.opened(file)
      found?.pointee = nil
      guard SQLiteDisk.enter() == .alive else { return SQLITE_IOERR }
      if isExtended == 0, opened.regions.count <= Int(region) { return SQLITE_OK }
      while opened.regions.count <= Int(region) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(size))
        opened.regions.append(memory)
      }
      found?.pointee = opened.regions[Int(region)]
      return SQLITE_OK
    }
    methods.xShmLock = { _, _, _, _ in SQLITE_OK }
    methods.xShmBarrier = { _ in }
    methods.xShmUnmap = { file, _ in
      let opened = SQLiteDisk.opened(file)
      for region in opened.regions { region.deallocate() }
      opened.regions = []
      return SQLITE_OK
    }
    return methods
  }()

  nonisolated(unsafe) private static var system: sqlite3_vfs = {
    var system = sqlite3_vfs()
    system.iVersion = 2
    system.szOsFile = Int32(MemoryLayout<Handle>.size)
    system.mxPathname = 512
    system.zName = UnsafePointer(strdup("simulated"))
    system.xOpen = { _, name, file, flags, given in
      guard let handle = SQLiteDisk.handle(file) else { return SQLITE_CANTOPEN }
      handle.initialize(to: Handle())
      let path = name.map { SQLiteDisk.path($0) }
      let found = path.flatMap { SQLiteDisk.world.disk[$0] }
      let isCreated = found == nil && flags & SQLITE_OPEN_CREATE != 0
      guard SQLiteDisk.enter(hasEffect: isCreated && path != nil) == .alive else { return SQLITE_CANTOPEN }
      guard found != nil || isCreated else { return SQLITE_CANTOPEN }
      let content = found ?? path.map { SQLiteDisk.world.disk.create($0) } ?? SQLiteDisk.world.disk.nameless()
      // A log that loses its transactions.
      if Fault.isPlanted("lost-commit"), path?.suffix(4).elementsEqual("-wal".utf8) == true { content.truncate(to: 0) }
      handle.pointee.opened = Unmanaged.passRetained(Opened(content, path))
      handle.pointee.base.pMethods = withUnsafePointer(to: &SQLiteDisk.methods) { $0 }
      given?.pointee = flags
      return SQLITE_OK
    }
    system.xDelete = { _, name, syncsFolder in
      let path = SQLiteDisk.path(name)
      guard SQLiteDisk.world.disk[path] != nil else { return SQLITE_IOERR_DELETE_NOENT }
      guard SQLiteDisk.enter(hasEffect: true) == .alive else { return SQLITE_IOERR_DELETE }
      SQLiteDisk.world.disk.change([(Disk.name(path), nil)])
      if syncsFolder != 0 { SQLiteDisk.world.disk.syncFolder() }
      return SQLITE_OK
    }
    system.xAccess = { _, name, flags, isThere in
      guard SQLiteDisk.enter() == .alive else { return SQLITE_IOERR_ACCESS }
      let file = SQLiteDisk.world.disk[SQLiteDisk.path(name)]
      isThere?.pointee = file == nil || flags == SQLITE_ACCESS_EXISTS && file?.bytes.isEmpty == true ? 0 : 1
      return SQLITE_OK
    }
    system.xFullPathname = { _, name, _, room in
      if let room, let name { strcpy(room, name) }
      return SQLITE_OK
    }
    system.xRandomness = { _, count, target in
      for index in 0..<Int(count) {
        target?[index] = CChar(truncatingIfNeeded: Int(SQLiteDisk.world.random() * 256))
      }
      return count
    }
    system.xSleep = { _, microseconds in
      SQLiteDisk.world.spend(Double(microseconds) / 1_000_000)
      return microseconds
    }
    system.xCurrentTimeInt64 = { _, time in
      time?.pointee = sqlite3_int64(SQLiteDisk.world.date / 1000) + 210_866_760_000_000
      return SQLITE_OK
    }
    system.xGetLastError = { _, _, _ in 0 }
    return system
  }()

  /// Makes it the file system of all databases that are opened from now on.
  static func use() {
    sqlite3_initialize()
    sqlite3_vfs_register(&system, 1)
  }
}

// C macros that Swift does not see.
private let SQLITE_IOERR_READ = SQLITE_IOERR | (1 << 8)
private let SQLITE_IOERR_SHORT_READ = SQLITE_IOERR | (2 << 8)
private let SQLITE_IOERR_WRITE = SQLITE_IOERR | (3 << 8)
private let SQLITE_IOERR_FSYNC = SQLITE_IOERR | (4 << 8)
private let SQLITE_IOERR_TRUNCATE = SQLITE_IOERR | (6 << 8)
private let SQLITE_IOERR_DELETE = SQLITE_IOERR | (10 << 8)
private let SQLITE_IOERR_ACCESS = SQLITE_IOERR | (13 << 8)
private let SQLITE_IOERR_DELETE_NOENT = SQLITE_IOERR | (23 << 8)
