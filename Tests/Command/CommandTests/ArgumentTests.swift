import ApplePayAcceptance
import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayToken
import ApplePayWire
import Foundation
import Testing

@testable import paytoken

@Suite("The words of a command line")
struct ArgumentTests {
    private static let name = CommandOption("--name", "TEXT", "a name")
    private static let many = CommandOption("--many", "TEXT", "names").repeatable
    private static let count = CommandOption.number("--count", "N", "how many")
    private static let days = CommandOption.number("--days", "DAYS", "how long")
    private static let minor = CommandOption.number("--minor", "MINOR", "how much")
    private static let flag = CommandOption.flag("--flag", "a flag")
    private static let truth = CommandOption.boolean("--truth", "a truth")
    private static let color = CommandOption.choice(
        "--color", of: ColorChoice.self, "a color")
    private static let folder = CommandOption("--folder", "PATH", "a folder").orOperand {
        $0.hasPrefix("/")
    }
    private static let options = [
        name, many, count, days, minor, flag, truth, color, folder, .receiptTime,
    ]

    private func arguments(_ words: String...) throws(CommandFailure) -> Arguments {
        try Arguments(words, Self.options)
    }

    private func message(_ body: () throws -> Void) -> String? {
        let failure = #expect(throws: CommandFailure.self) { try body() }
        #expect(failure?.status == .usage)
        return failure?.message
    }

    @Test("are options with their values, flags and operands")
    func sorted() throws {
        let read = try arguments(
            "a", "--name", "--flag", "-", "--many=1=2=3", "--many=", "/f", "--truth", "true", "--",
            "--flag", "/g")
        #expect(read.operands == ["a", "-", "--flag", "/g"])
        #expect(read.text(Self.name) == "--flag" && !read.has(Self.flag))
        #expect(read.all(Self.many) == ["1=2=3", ""] && read.text(Self.folder) == "/f")
        #expect(try read.boolean(Self.truth) == true)
        #expect(try arguments("--truth=false").boolean(Self.truth) == false)
        #expect(
            read.shellWords(Self.options) == [
                "--name", "./--flag", "--many", "'1=2=3'", "--many", "''", "--truth", "true",
                "--folder", "/f",
            ])
        #expect(
            read.words(Self.options) == [
                "--name", "--flag", "--many", "1=2=3", "--many", "", "--truth", "true", "--folder",
                "/f",
            ])
        let flag = try arguments("--flag", "a b")
        #expect(flag.has(Self.flag) && flag.all(Self.flag).isEmpty && flag.operands == ["a b"])
        #expect(
            flag.words(Self.options) == ["--flag"] && flag.shellWords(Self.options) == ["--flag"])
        #expect(try arguments("--name", "a b").shellWords(Self.options) == ["--name", "'a b'"])
    }

    @Test(
        "have values of limited lengths, and options with limited names",
        arguments: [
            ("--name", 65_536), ("--count", 255), ("--truth", 255), ("--color", 255), ("--at", 255),
        ])
    func limits(_ option: String, _ limit: Int) throws {
        let longest = String(repeating: "a", count: limit)
        #expect(throws: Never.self) { try arguments(option, longest) }
        for words in [[option, longest + "a"], ["\(option)=\(longest)a"]] {
            #expect(
                message { _ = try Arguments(words, Self.options) }
                    == "the value of \(option) has \(limit + 1) bytes; it can have at most \(limit)."
            )
        }
        #expect(
            message { _ = try arguments("--\(String(repeating: "a", count: 63))=1") }
                == "an argument begins as an option and has more than 64 bytes before its value. --help lists the options."
        )
    }

    @Test("are compared as bytes")
    func bytes() {
        for (words, fault) in [
            (
                ["-\u{301}x"],
                "-\u{301}x is not an option here, because options begin with two hyphens; write "
            ),
            (["--\u{301}name", "x"], "--\u{301}name is not an option here"),
            (["{\u{301}\"version\":1}"], "an argument is a text instead of the name of a file."),
        ] {
            let message = message { _ = try Arguments(words, Self.options) }
            #expect(
                message.map { ExactText($0).hasPrefix(ExactText(fault)) } == true,
                "\(message ?? "")")
        }
    }

    @Test("name one token, or none for standard input")
    func token() throws {
        #expect(try arguments().token() == "-")
        #expect(try arguments("t").token() == "t")
        #expect(
            message { _ = try arguments("t", "u", "v").token() }
                == "one file at a time, not both t and u: leave out one of them.")
    }

    @Test("are compared with the declared options")
    func checked() throws {
        let options = [
            Self.name.mandatory, Self.count.mandatory(unless: Self.flag, Self.truth), Self.many,
        ]
        func check(_ words: String...) throws {
            try Arguments(words, Self.options).check(options, of: "c")
        }
        try check("--name", "n", "--count", "1", "--many", "1", "--many", "2")
        try check("--name", "n", "--truth", "false")
        #expect(message { try check("--flag") } == "c needs --name TEXT.")
        #expect(
            message { try check() } == "c needs --name TEXT and --count N (or --flag or --truth).")
        #expect(
            message { try check("--name", "n", "--flag", "--name", "n", "--name", "n") }
                == "--name was given 3 times; give it once.")
        let read = try arguments("--truth", "true", "--name", "n", "--count", "1")
        #expect(read.first(of: [Self.flag, Self.truth, Self.name])?.name == "--truth")
        #expect(read.first(of: [Self.flag])?.name == nil)
        #expect(read.hasAny([Self.flag, Self.name]) && !read.hasAny([Self.flag, Self.many]))
        #expect(message { _ = try read.required(Self.many) } == "this command needs --many TEXT.")
        #expect(
            ["", "a", "a and b", "a, b and c"]
                == (0...3).map {
                    Array(["a", "b", "c"].prefix($0)).sentence
                })
    }

    @Test(
        "are whole numbers of 0 or more",
        arguments: [
            ("0", 0), ("7", 7), ("007", 7), ("9223372036854775807", Int64.max), ("", nil),
            ("-1", nil),
            ("-0", nil), ("+1", nil), ("1.0", nil), ("1e3", nil), (" 1", nil), ("x", nil),
            ("9223372036854775808", nil),
        ] as [(String, Int64?)])
    func numbers(_ text: String, _ number: Int64?) throws {
        for (option, unit) in [
            (Self.count, ""), (Self.days, " of days"),
            (
                Self.minor,
                " of minor units, such as 1099 for 10.99 EUR, from 0 to 9223372036854775807"
            ),
        ] {
            let read = try arguments("\(option)=\(text)")
            if let number {
                #expect(try read.number(option) == number)
            } else {
                #expect(
                    message { _ = try read.number(option) }
                        == "\(option) takes a whole number\(unit), not \(text).")
            }
        }
    }

    @Test("are values of other kinds, or are refused")
    func values() throws {
        let absent = try arguments()
        #expect(try absent.number(Self.count) == nil && absent.boolean(Self.truth) == nil)
        #expect(try absent.time(.receiptTime) == nil && absent.currency(Self.name) == nil)
        #expect(try absent.choice(Self.color, of: ColorChoice.self) == nil)
        #expect(
            try arguments("--color=never").choice(Self.color, of: ColorChoice.self) == .never)
        #expect(try arguments("--name=EUR").currency(Self.name) == Currency(alphabetic: "EUR"))
        for (word, sentence, read) in [
            (
                "--truth=yes", "--truth takes true or false, not yes.",
                { _ = try $0.boolean(Self.truth) }
            ),
            (
                "--color=red", "--color takes one of auto, always, never, not red.",
                { _ = try $0.choice(Self.color, of: ColorChoice.self) }
            ),
            (
                "--name=red", "--name takes one of auto, always, never, not red.",
                { _ = try $0.choice(Self.name, of: ColorChoice.self) }
            ),
            (
                "--name=euro",
                "--name takes a currency code of ISO 4217 in capitals, such as EUR, not euro.",
                { _ = try $0.currency(Self.name) }
            ),
            (
                "--at=now", "--at takes a time such as 2026-03-01T12:00:00Z, not now.",
                { _ = try $0.time(.receiptTime) }
            ),
        ] as [(String, String, (Arguments) throws -> Void)] {
            let arguments = try arguments(word)
            #expect(message { try read(arguments) } == sentence)
        }
    }

    @Test(
        "are times in the forms of ISO 8601",
        arguments: [
            ("2026-03-01T12:00:00Z", 0), ("2026-03-01T14:00:00+02:00", 0),
            ("2026-03-01T12:00:00.5Z", 0.5), ("2026-03-01T14:00:00+0200", nil),
            ("2026-03-01T14:00:00.25+02:00", 0.25), ("2026-03-01 12:00:00Z", nil),
            ("2026-03-01", nil), ("2026-02-30T12:00:00Z", nil),
        ] as [(String, Double?)])
    func times(_ text: String, _ seconds: Double?) throws {
        let noon = 1_772_366_400.0
        #expect(
            InternetTime.date(ExactText(text))?.timeIntervalSince1970 == seconds.map { noon + $0 })
    }

    @Test(
        "are similar to a known word if they have one typing error, or two in five characters",
        arguments: [
            ("abcd", "abc", true), ("abcd", "abcde", true), ("abcd", "bcd", true),
            ("abcd", "xabcd", true), ("abcd", "xbcd", true), ("abcd", "abxd", true),
            ("abcd", "bacd", true), ("abcd", "abdc", true), ("abcd", "acbd", true),
            ("abcd", "badc", false), ("abcd", "ab", false), ("abcd", "xbcx", false),
            ("abcd", "bcda", false), ("abcd", "cbad", false), ("abcd", "cabd", false),
            ("abcd", "bxcd", false), ("abcd", "xacd", false), ("abcd", "abxyd", true),
            ("abcde", "abxye", true), ("abcde", "badce", true), ("abcde", "xbcyz", false),
            ("abcdef", "badcfe", false), ("abcde", "abcdexyz", false), ("abcd", "", false),
        ])
    func similar(_ known: String, _ word: String, _ isSimilar: Bool) {
        #expect([known].suggestion(for: word) == (isSimilar ? known : nil))
        #expect([known].question(about: word) == (isSimilar ? "did you mean \(known)? " : ""))
    }

    @Test("are compared up to 40 characters, and mean the first of the most similar words")
    func suggestions() {
        let long = String(repeating: "n", count: 40)
        #expect(["\(long)o"].suggestion(for: long) == "\(long)o")
        #expect([long].suggestion(for: "\(long)o") == nil)
        #expect(["verifying", "verify", "verifi"].suggestion(for: "verif") == "verify")
        #expect(["verifx", "verify", "verifz"].suggestion(for: "veri") == nil)
        #expect(["verifx", "verify", "verifz"].suggestion(for: "verifa") == "verifx")
    }
}
