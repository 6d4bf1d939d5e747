import Testing
@testable import paginate
