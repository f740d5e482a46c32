import ApplePayPrimitives

/// Runs the steps of several processes one at a time, in an order that a seed determines.
///
/// A process stops at each point, and its next step begins when the driver chooses it: at once, later, or never.
final class Scheduler: Sendable {
    @TaskLocal private static var process: Int?

    private struct Process {
        var continuation: CheckedContinuation<Void, Never>?
        var wake: Double
        var isDead = false
    }

    private struct State {
        var processes: [Int: Process] = [:]
        var count = 0
        var driver: CheckedContinuation<Void, Never>?
        var events: [(time: Double, order: Int, body: @Sendable () async -> Void)] = []
    }

    private let state = Lock(State())
    private let random: SeededNumbers
    private let clock: TestClock

    init(_ random: SeededNumbers, _ clock: TestClock) {
        self.random = random
        self.clock = clock
    }

    /// Begins a process after a time.
    func begin(after wait: Double, _ body: @escaping @Sendable () async -> Void) async {
        let id = state.withLock { state in
            state.count += 1
            state.processes[state.count] = Process(wake: clock.seconds + wait)
            return state.count
        }
        await withCheckedContinuation { driver in
            state.withLock { $0.driver = driver }
            Task {
                await Self.$process.withValue(id) {
                    await self.park(id)
                    await body()
                }
                self.end(id)
            }
        }
    }

    /// Lets something happen after a time that no process does.
    func event(after wait: Double, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.count += 1
            state.events.append((clock.seconds + wait, state.count, body))
        }
    }

    /// Stops the current process for at least some seconds; returns whether it has not crashed.
    func point(_ wait: Double = 0) async -> Bool {
        guard let id = Self.process else { return true }
        let isDead = state.withLock { state in
            state.processes[id]?.wake = clock.seconds + wait
            return state.processes[id]?.isDead ?? true
        }
        guard !isDead else { return false }
        await park(id)
        return true
    }

    /// Ends the current process: nothing that it does has an effect any more.
    func crash() {
        guard let id = Self.process else { return }
        state.withLock { $0.processes[id]?.isDead = true }
    }

    private func park(_ id: Int) async {
        await withCheckedContinuation { continuation in
            let driver = state.withLock { state in
                state.processes[id]?.continuation = continuation
                defer { state.driver = nil }
                return state.driver
            }
            driver?.resume()
        }
    }

    private func end(_ id: Int) {
        let driver = state.withLock { state in
            state.processes[id] = nil
            defer { state.driver = nil }
            return state.driver
        }
        driver?.resume()
    }

    /// Runs all processes and events to their ends; returns whether they end.
    func run() async -> Bool {
        for _ in 0..<20_000 {
            let now = clock.seconds
            let (ready, event, next) = state.withLock { state in
                let ready = state.processes.filter { $0.value.wake <= now }.keys.sorted()
                let due = state.events.indices.filter { state.events[$0].time <= now }
                    .min { state.events[$0].order < state.events[$1].order }
                let event = due.map { state.events.remove(at: $0).body }
                let times = state.processes.values.map(\.wake) + state.events.map(\.time)
                return (ready, event, times.min())
            }
            if let event {
                await event()
                continue
            }
            guard let id = random.element(of: ready) else {
                guard let next else { return true }
                clock.pass(max(next - now, 0.001))
                continue
            }
            clock.pass(random.fraction() * 0.2)
            await withCheckedContinuation { driver in
                let process = state.withLock { state in
                    state.driver = driver
                    defer { state.processes[id]?.continuation = nil }
                    return state.processes[id]?.continuation
                }
                process?.resume()
            }
        }
        return false
    }
}

/// Numbers that a seed determines (SplitMix64).
final class SeededNumbers: Sendable {
    private let state: Lock<UInt64>

    init(_ seed: UInt64) { state = Lock(seed &* 0x9E37_79B9_7F4A_7C15) }

    private func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    /// Returns a number from 0 to 1.
    func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Returns true with a probability.
    func happens(_ probability: Double) -> Bool { fraction() < probability }

    /// Returns an element; nil if there is none.
    func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
    }
}
