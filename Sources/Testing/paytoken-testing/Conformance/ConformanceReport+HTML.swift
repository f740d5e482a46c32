internal import ApplePayPrograms
internal import ApplePayWire

/// The report as a single HTML file: it loads nothing, supports light and dark mode, and prints well.
extension ConformanceReport {
    /// The HTML document.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>Conformance: \(isPassed ? "passed" : "failed")</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <main>
        <h1>Conformance of a verifier of Apple Pay tokens</h1>
        <p class="outcome \(isPassed ? "good" : "bad")"><strong>\(isPassed ? "Passed" : "Failed").</strong>
        \(outcome)</p>
        <h2>Groups</h2>
        <div class="wide"><table class="groups">
        <thead><tr><th scope="col">group</th><th scope="col">cases</th>\(Self.heads)</tr></thead>
        <tbody>
        \(groups.map { Self.groupRow($0.name, $0.results) }.joined())</tbody>
        <tfoot>\(Self.groupRow("all", results))</tfoot>
        </table></div>
        <h2>Cases</h2>
        <form class="filters" hidden>
        <fieldset><legend>Show</legend>\(filters)</fieldset>
        <label>Containing <input type="search" id="text" autocomplete="off"></label>
        </form>
        <p><output id="shown">\(results.count) cases</output></p>
        <table class="cases">
        <thead><tr><th scope="col">case</th><th scope="col">what is special</th><th scope="col">rule</th>\
        <th scope="col">expected</th><th scope="col">answer</th><th scope="col">verdict</th></tr></thead>
        <tbody>
        \(results.map(Self.caseRow).joined())</tbody>
        </table>
        </main>
        <script>\(Self.script)</script>
        </body>
        </html>

        """
    }

    private var outcome: String {
        let parts = Self.counts(results).filter { $0.count > 0 }
            .map { "\($0.count) \(Self.words($0.verdict))" }
        let stray =
            strayLines > 0 ? " \(strayLines) lines of the answers belong to no case." : ""
        return "\(results.count) cases: \(parts.joined(separator: ", ")).\(stray) "
            + "A false accept, a wrong plaintext or a missing answer fails the verifier. "
            + "A false accept could help an attacker, unless only the token's form is at fault."
    }

    private static func words(_ verdict: ConformanceVerdict) -> String {
        verdict.rawValue.replacing("-", with: " ")
    }

    private static var heads: String {
        columns.map { "<th scope=\"col\">\(words($0))</th>" }.joined()
    }

    private static func groupRow(_ name: String, _ results: [ConformanceResult]) -> String {
        let cells = counts(results).map { verdict, count in
            let mark = count > 0 && !verdict.isAcceptable ? tone(verdict) : count == 0 ? "none" : ""
            return "<td class=\"\(mark)\">\(count)</td>"
        }
        return "<tr><th scope=\"row\">\(escaped(name))</th><td>\(results.count)</td>"
            + "\(cells.joined())</tr>\n"
    }

    private static func tone(_ verdict: ConformanceVerdict) -> String {
        verdict.isAcceptable ? "good" : verdict.isFailure ? "bad" : "fair"
    }

    /// The filters; if there are findings, the page initially shows only those.
    private var filters: String {
        let findings = findings
        return Self.counts(results).filter { $0.count > 0 }.map { verdict, count in
            "<label><input type=\"checkbox\" value=\"\(verdict.rawValue)\""
                + "\(verdict.isAcceptable && !findings.isEmpty ? "" : " checked")> "
                + "\(Self.words(verdict)) (\(count))</label>"
        }.joined()
    }

    private static func caseRow(_ result: ConformanceResult) -> String {
        let vector = result.vector
        let rule = vector.stages.isEmpty ? "none" : vector.stages.joined(separator: ", ")
        let cells = [
            ("what is special", String(vector.comment)), ("rule", rule),
            ("expected", vector.expected),
            ("answer", result.answer),
        ].map { "<td data-head=\"\($0)\">\(escaped($1))</td>" }.joined()
        return "<tr data-verdict=\"\(result.verdict.rawValue)\">"
            + "<th scope=\"row\">\(escaped(String(vector.id)))</th>\(cells)"
            + "<td data-head=\"verdict\"><span class=\"mark \(tone(result.verdict))\">"
            + "\(words(result.verdict))</span></td></tr>\n"
    }

    private static let style = """
        :root { color-scheme: light dark; --Line: #d0d4da; --Quiet: #5b6470; --Panel: #f5f6f8;
          --Good: #14692f; --GoodBack: #e3f4e8; --Fair: #7a4b00; --FairBack: #fdf0d5;
          --Bad: #a5131d; --BadBack: #fde7e8; }
        @media (prefers-color-scheme: dark) { :root { --Line: #3a4049; --Quiet: #a3acb8; --Panel: #20242a;
          --Good: #7fdc9b; --GoodBack: #16331f; --Fair: #f2c265; --FairBack: #3a2c0c;
          --Bad: #ff9aa0; --BadBack: #45171b; } }
        * { box-sizing: border-box }
        body { margin: 0; font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
        main { max-width: 84rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
        h1 { font-size: 1.5rem; margin: 0 0 1rem } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem }
        .outcome { padding: .8rem 1rem; border-radius: .4rem; border-left: .3rem solid; margin: 0 }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--Line) }
        thead th { color: var(--Quiet); font-weight: 600; background: var(--Panel) }
        tbody th, tfoot th { font-weight: 500 }
        .wide { overflow-x: auto } .groups { overflow-wrap: normal } .groups th[scope=row] { white-space: nowrap }
        .groups td, .groups thead th:not(:first-child) { text-align: right }
        .groups td.none { color: var(--Quiet) } tfoot th, tfoot td { font-weight: 700 }
        .cases th { width: 18% } .cases thead th:nth-child(2) { width: 24% } .cases thead th:last-child { width: 9.5rem }
        .good { color: var(--Good); background: var(--GoodBack) }
        .fair { color: var(--Fair); background: var(--FairBack) }
        .bad { color: var(--Bad); background: var(--BadBack) }
        .mark { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; white-space: nowrap }
        .filters:not([hidden]) { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: end; margin-bottom: .8rem }
        fieldset { border: 1px solid var(--Line); border-radius: .4rem; padding: .3rem .7rem .5rem; margin: 0 }
        fieldset label { display: inline-block; margin-right: 1rem }
        input[type=search] { font: inherit; padding: .25rem .4rem; max-width: 100% }
        output { color: var(--Quiet) }
        @media screen and (max-width: 50rem) {
          .cases thead { display: none }
          .cases, .cases tbody { display: block } .cases tr:not([hidden]) { display: block; padding: .6rem 0;
            border-bottom: 1px solid var(--Line) }
          .cases th, .cases td { display: block; width: auto; border: 0; padding: .1rem 0 }
          .cases td::before { content: attr(data-head) ": "; color: var(--Quiet) }
        }
        @media print {
          :root { color-scheme: light; --Line: #bbb; --Quiet: #444; --Panel: #fff; --Good: #000; --GoodBack: #fff;
            --Fair: #000; --FairBack: #fff; --Bad: #000; --BadBack: #fff }
          @page { margin: 14mm 12mm;
            @bottom-left { content: "Conformance of a verifier of Apple Pay tokens"; font: 8pt sans-serif }
            @bottom-right { content: counter(page) " of " counter(pages); font: 8pt sans-serif } }
          body { font-size: 8pt; color: #000; background: #fff; overflow-wrap: break-word }
          main { padding: 0; max-width: none } h2 { break-after: avoid; margin-top: 1.2rem }
          th, td { padding: .12rem .4rem } .cases { table-layout: fixed } .cases thead th { width: 14% }
          .cases thead th:first-child, .cases thead th:nth-child(2) { width: 23% }
          .cases thead th:nth-child(3) { width: 11% } .cases thead th:last-child { width: 15% }
          .filters:not([hidden]) { display: none } thead { display: table-header-group } tr { break-inside: avoid }
          .wide { overflow: visible } .mark { padding: 0 } .mark.bad, .groups .bad { font-weight: 700 }
        }
        """

    private static let script = """
        const form = document.querySelector('.filters'), rows = [...document.querySelectorAll('.cases tbody tr')];
        const text = document.getElementById('text'), shown = document.getElementById('shown');
        function show() {
          const verdicts = [...form.querySelectorAll('[type=checkbox]:checked')].map(box => box.value);
          const words = text.value.toLowerCase();
          let count = 0;
          for (const row of rows) {
            row.hidden = !verdicts.includes(row.dataset.verdict) || !row.textContent.toLowerCase().includes(words);
            if (!row.hidden) count += 1;
          }
          const kinds = verdicts.map(verdict => verdict.replaceAll('-', ' ')).join(', ');
          shown.textContent = count + ' of ' + rows.length + ' cases'
            + (count < rows.length ? ' are shown: ' + kinds + (words && ', containing "' + text.value + '"') : '');
        }
        form.hidden = false;
        form.addEventListener('input', show);
        form.addEventListener('submit', event => event.preventDefault());
        show();
        """
}
