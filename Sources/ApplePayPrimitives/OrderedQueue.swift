internal import Glibc

/// Numbers the parts of an input as they are taken, and hands on what became of them in that order.
@safe
final class OrderedQueue<Part, Answer>: @unchecked Sendable {
    private let capacity: Int
    private let read: @Sendable () -> Part?
    private let write: @Sendable (Answer) -> Bool
    private let discard: @Sendable (Answer) -> Void

    /// Held while the input is read, so that parts are numbered as they come.
    private let reading = Lock(())

    // What follows is guarded by the mutex.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let advanced: UnsafeMutablePointer<pthread_cond_t>
    private var taken = 0
    private var handedOn = 0
    private var finished: [Int: Answer] = [:]
    private var isWriting = false
    private var isClosed = false

    init(
        capacity: Int,
        read: @escaping @Sendable () -> Part?,
        write: @escaping @Sendable (Answer) -> Bool,
        discard: @escaping @Sendable (Answer) -> Void
    ) {
        self.capacity = capacity
        self.read = read
        self.write = write
        self.discard = discard
        unsafe mutex = .allocate(capacity: 1)
        unsafe advanced = .allocate(capacity: 1)
        let results = unsafe [pthread_mutex_init(mutex, nil), pthread_cond_init(advanced, nil)]
        precondition(results == [0, 0], "default POSIX objects can always be made")
    }

    /// The next part with its number, once there is room; nil at the end and when the queue is closed.
    func take() -> (number: Int, part: Part)? {
        reading.withLock { _ in
            unsafe pthread_mutex_lock(mutex)
            while taken - handedOn >= capacity, !isClosed {
                unsafe pthread_cond_wait(advanced, mutex)
            }
            let isClosed = isClosed
            unsafe pthread_mutex_unlock(mutex)
            guard !isClosed, let part = read() else { return nil }
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            taken += 1
            return (taken - 1, part)
        }
    }

    /// Takes what became of a part, and hands on all whose turn it is unless another thread does so.
    func hand(_ answer: Answer, _ number: Int) {
        unsafe pthread_mutex_lock(mutex)
        finished[number] = answer
        if !isWriting {
            isWriting = true
            while let next = finished.removeValue(forKey: handedOn) {
                var isClosed = isClosed
                unsafe pthread_mutex_unlock(mutex)
                if isClosed { discard(next) } else { isClosed = !write(next) }
                unsafe pthread_mutex_lock(mutex)
                self.isClosed = isClosed
                handedOn += 1
                unsafe pthread_cond_broadcast(advanced)
            }
            isWriting = false
        }
        unsafe pthread_mutex_unlock(mutex)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(advanced)
        unsafe mutex.deallocate()
        unsafe advanced.deallocate()
    }
}
