import Foundation
import TestSupport
import Testing

/// The completions are generated from the option tables, are committed, and work.
@Suite struct CompletionTests {
  private static func script(_ shell: String, _ tool: String) -> String {
    switch shell {
    case "zsh": "completions/zsh/_\(tool)"
    case "fish": "completions/fish/\(tool).fish"
    default: "completions/bash/\(tool)"
    }
  }

  @Test(arguments: Repository.tools, ["bash", "zsh", "fish"])
  func areFresh(_ tool: String, _ shell: String) throws {
    let printed = try Command.shell("\(tool) --completion \(shell)")
    let committed = try Repository.contents(Self.script(shell, tool))
    #expect(printed.status == 0)
    #expect(committed == printed.text, "'make completions' writes them anew")
  }

  @Test(arguments: Repository.tools, ["bash", "zsh", "fish"].filter(Repository.has))
  func areAccepted(_ tool: String, _ shell: String) throws {
    let result = try Command.shell("\(shell) -n \(Command.quote(Repository.path(Self.script(shell, tool))))")
    #expect(result.text + result.error == "")
    #expect(result.status == 0)
  }

  // MARK: bash

  /// The words that bash offers for the last of `words`.
  private func bash(_ words: [String], files: [String] = []) throws -> Set<String> {
    let folder = try ScratchFolder()
    for file in files { try folder.write(file, "") }
    let tool = words[0]
    let program = """
      . \(Command.quote(Repository.path(Self.script("bash", tool))))
      COMP_WORDS=(\(words.map(Command.quote).joined(separator: " ")))
      COMP_CWORD=\(words.count - 1)
      row=$(complete -p \(tool))
      row=${row#*-F }
      ${row%% *}
      for reply in "${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done
      """
    let result = try Command.shell("bash -u -c \(Command.quote(program))", in: folder.path)
    #expect(result.error == "")
    return Set(result.text.split(separator: "\n").map(String.init))
  }

  @Test(.enabled(if: Repository.has("bash")), arguments: Repository.tools)
  func bashCompletesOptions(_ tool: String) throws {
    let options = try Tables.of(tool).options
    #expect(try bash([tool, "-"]) == Set(options.flatMap(\.words)))
    #expect(try bash([tool, "--vers"]) == ["--version"])
    #expect(try bash([tool, "--no-such"]) == [])
  }

  @Test(.enabled(if: Repository.has("bash")), arguments: Repository.tools)
  func bashCompletesValues(_ tool: String) throws {
    for option in try Tables.of(tool).options {
      for word in option.words {
        guard let type = option.value else { continue }
        let offered = try bash([tool, word, ""], files: ["a file", "other"])
        if let words = option.choice {
          #expect(offered == Set(words), "--\(option.name)")
          // bash splits --name=value like this.
          #expect(try bash([tool, word, "="]) == Set(words), "--\(option.name)")
          #expect(try bash([tool, word, "=", words[0]]).contains(words[0]), "--\(option.name)")
        } else if type.completion == .file {
          #expect(offered == ["a file", "other"], "--\(option.name)")
        } else if case .beginnings(let words) = type.completion {
          #expect(offered == Set(words), "--\(option.name)")
        } else {
          #expect(offered == [] || offered == ["a file", "other"], "--\(option.name)")
        }
      }
    }
  }

  @Test(.enabled(if: Repository.has("bash")), arguments: Repository.tools)
  func bashCompletesOperands(_ tool: String) throws {
    let offered = try bash([tool, "a"], files: ["a file", "other"])
    switch try Tables.of(tool).operands {
    case .file: #expect(offered == ["a file"])
    case .command: #expect(offered.isSuperset(of: ["a file", "awk"]) && !offered.contains("other"))
    default: #expect(offered == [])
    }
  }

  // MARK: fish and zsh

  @Test(.enabled(if: Repository.has("fish")), arguments: Repository.tools)
  func fishCompletes(_ tool: String) throws {
    let script = Command.quote(Repository.path(Self.script("fish", tool)))
    func fish(_ line: String) throws -> Set<String> {
      let folder = try ScratchFolder()
      let program = "source \(script); complete -C \(Command.quote(line))"
      let result = try Command.shell(
        "fish -N -c \(Command.quote(program))", in: folder.path, environment: ["HOME": folder.path])
      #expect(result.error == "")
      return Set(result.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) })
    }
    for option in try Tables.of(tool).options {
      #expect(try fish("\(tool) --\(option.name)").contains { $0.hasPrefix("--" + option.name) }, "--\(option.name)")
    }
    #expect(try fish("\(tool) --completion ") == ["bash", "zsh", "fish"])
  }

  @Test(.enabled(if: Repository.has("zsh")), arguments: Repository.tools)
  func zshLoadsThem(_ tool: String) throws {
    let folder = try ScratchFolder()
    let program = """
      fpath=(\(Command.quote(Repository.path("completions/zsh"))) $fpath)
      autoload -Uz compinit && compinit -u -d dump
      print -r -- "$_comps[\(tool)]"
      autoload +X _\(tool) && (( $+functions[_\(tool)] )) && print loaded
      """
    let result = try Command.shell("zsh -f -c \(Command.quote(program))", in: folder.path)
    #expect(result.text == "_\(tool)\nloaded\n")
    #expect(result.error == "")
  }

  /// Types into an interactive zsh, presses the tab key, and reads the resulting line.
  @Test(.enabled(if: Repository.has("zsh")), arguments: Repository.tools)
  func zshCompletes(_ tool: String) throws {
    let folder = try ScratchFolder()
    try folder.write("sample", "")
    let program = #"""
      await() {
        local seen chunk
        repeat 600; do
          zpty -r -t z chunk && seen+=$chunk
          [[ $seen == *"$1"* ]] && return
          sleep 0.05
        done
        exit 1
      }
      zmodload zsh/zpty && zpty z 'exec zsh -f -i'
      zpty -w z "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D
      report() { print -r -- \$BUFFER >>replies; BUFFER=; (( ++n )); print -n \"<\$n>\" }
      zle -N report; bindkey '^X^R' report; print -n '<'0'>'"
      await '<0>'
      shift
      for line; do
        zpty -w -n z "$line"$'\t\C-x\C-r'
        await "<$((++n))>"
      done
      zpty -d z
      cat replies
      """#
    let typed = ["--vers", "--completion z", "--completion=z", "--completion zsh sam"].map { "\(tool) \($0)" }
    let words = [Repository.path("completions/zsh")] + typed
    let result = try Command.shell(
      "zsh -f -c \(Command.quote(program)) zsh \(words.map(Command.quote).joined(separator: " "))", in: folder.path,
      environment: ["HOME": folder.path, "ZDOTDIR": folder.path])
    let lines = result.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let operand = try Tables.of(tool).operands == .file ? "sample" : "sam"
    let expected = ["--version", "--completion zsh", "--completion=zsh", "--completion zsh \(operand)"]
    #expect(lines == expected.map { "\(tool) \($0)" }, "\(result.error)")
  }
}
