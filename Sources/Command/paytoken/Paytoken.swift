internal import ApplePayPrograms

/// The command line tool: a command, its options and a token.
@main
enum Paytoken {
    static func main() { Program.paytoken.main() }
}
