#include "coordinator/cli/data_commands.h"

#include <memory>

#include "coordinator/cli/corpus_command.h"
#include "coordinator/cli/init_command.h"

namespace meanfield::cli {
namespace {

void AddGuessOptions(CLI::App& command, corpus::GuessOptions& options) {
  command
      .add_option("--format", options.format,
                  "conll, conllu, fasttext, label_text or csv")
      ->check(
          CLI::IsMember({"conll", "conllu", "fasttext", "label_text", "csv"}));
  command.add_option("--text-column", options.text_column,
                     "Column of the words or texts: a number from 0, or a name "
                     "in the header");
  command.add_option("--label-column", options.label_column,
                     "Column of the tags or labels; of CoNLL-U upos, xpos, "
                     "deprel, feats:NAME or misc:NAME");
  command
      .add_option("--delimiter", options.delimiter,
                  "What parts the columns: one character, or tab")
      ->transform([](std::string value) {
        return value == "tab" || value == "\\t" ? std::string("\t") : value;
      });
  command
      .add_option("--encoding", options.encoding,
                  "utf-8, iso-8859-1 or windows-1252")
      ->check(CLI::IsMember({"utf-8", "iso-8859-1", "windows-1252"},
                            CLI::ignore_case));
  command.add_flag_callback(
      "--header", [&options] { options.header = true; },
      "The first row of a table names its columns");
  command.add_flag_callback(
      "--no-header", [&options] { options.header = false; },
      "The first row of a table is a text as the others");
}

constexpr char kFilesHelp[] =
    "One file, or train, dev and test (told by their names, else by their "
    "order), or a folder of them. What is not said is guessed from the "
    "contents.\n\n";

void AddInit(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "init", "Look at data files and print a job that trains on them");
  auto options = std::make_shared<InitOptions>();
  command->add_option("files", options->paths, "Data files, or their folder")
      ->required();
  AddGuessOptions(*command, options->guess);
  command->footer(std::string(kFilesHelp) +
                  "Examples:\n"
                  "  meanfield init train.conll dev.conll > job.textproto\n"
                  "  meanfield init tickets.csv --label-column topic > "
                  "job.textproto\n"
                  "  meanfield train job.textproto");
  command->callback([options, &exit_code] { exit_code = RunInit(*options); });
}

void AddCorpus(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "corpus",
      "Show what is understood of data files, or of a job's: counts, labels, "
      "lengths, odd lines, texts that two splits share");
  auto options = std::make_shared<CorpusOptions>();
  command
      ->add_option("files", options->paths,
                   "Data files, their folder, or a job (.textproto)")
      ->required();
  AddGuessOptions(*command, options->guess);
  command
      ->add_option("--set", options->overrides,
                   "Override of the job, path=value; may be repeated")
      ->take_all();
  command->add_option("--corpus-root", options->corpus_root,
                      "Folder that the job's file names start from (default: "
                      "the job file's)");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(std::string(kFilesHelp) +
                  "Exit code 2: there are bad lines, which training would "
                  "refuse.\n\n"
                  "Examples:\n"
                  "  meanfield corpus train.conll dev.conll test.conll\n"
                  "  meanfield corpus job.textproto --json");
  command->callback([options, &exit_code] { exit_code = RunCorpus(*options); });
}

}  // namespace

void AddDataCommands(CLI::App& app, int& exit_code) {
  AddInit(app, exit_code);
  AddCorpus(app, exit_code);
}

}  // namespace meanfield::cli
