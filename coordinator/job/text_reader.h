#ifndef MEANFIELD_COORDINATOR_JOB_TEXT_READER_H_
#define MEANFIELD_COORDINATOR_JOB_TEXT_READER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/job/findings.h"
#include "coordinator/job/position_table.h"
#include "coordinator/job/token.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace meanfield::job {

// Reads protocol buffer text format into a message. Unlike TextFormat it goes
// on after a fault, so that the user sees all of them, and is stricter where
// leniency hides mistakes: adjacent strings, leading zeros, nan and inf, a
// field given twice. One reader reads one sequence of tokens, once.
class TextReader {
 public:
  // Deeper nesting is refused: no message of ours needs it.
  static constexpr size_t kMaxDepth = 32;

  // `tokens` ends with kEnd. The table and the findings outlive the reader.
  TextReader(std::vector<Token> tokens, PositionTable& positions,
             Findings& findings);

  // A whole file: fields up to the end.
  void ReadMessage(google::protobuf::Message& message);

  // An override: the value of `field` of `message` (at `path`), which is
  // absent or empty, up to the end. A message's braces may be left out.
  void ReadValueOf(google::protobuf::Message& message, const std::string& path,
                   const google::protobuf::FieldDescriptor& field,
                   Position name);

 private:
  using Message = google::protobuf::Message;
  using Descriptor = google::protobuf::Descriptor;
  using FieldDescriptor = google::protobuf::FieldDescriptor;

  // A message being read. `message` is null inside an unknown field, which is
  // read for its syntax only.
  struct Frame {
    Message* message = nullptr;
    std::string path;
    std::string name;  // for messages to the user
    Position open;     // of its '{'
    char closer = 0;   // '}' or '>'; 0: the end of the text
    Position close;    // of its '}', once read
  };
  // A field about to be read: what to write it to, and where it was named.
  struct Target {
    Message* message = nullptr;
    const FieldDescriptor* field = nullptr;
    std::string path;  // of the field (without an index)
    Position name;
  };

  const Token& Peek(size_t ahead = 0) const;
  Token Next();
  bool Accept(char symbol);
  // An identifier followed by what only a field's name is followed by.
  bool AtField() const;
  bool AtOpener() const { return Peek().Is('{') || Peek().Is('<'); }
  bool AtCloser() const { return Peek().Is('}') || Peek().Is('>'); }
  void Fault(Position position, std::string message);

  // Fields up to the frame's end.
  void ReadFields(Frame frame);
  bool Close();
  bool MissingBraceBefore(const Token& name);
  bool ExtraBraceBefore(const Token& name);
  void SkipStray();

  void ReadField();
  void ReportUnknown(const Token& name);
  Target Claim(const FieldDescriptor& field, const Token& name);
  bool ReadColon(const Target& target);

  void ReadMessageField(const Target& target);
  void ReadMessageList(const Target& target);
  void ReadOneMessage(const Target& target, bool colon);
  void OpenMessage(const Target& target, Position open, char closer);
  void ReadScalarField(const Target& target);
  void ReadScalarList(const Target& target);
  void ReadScalar(const Target& target);
  void RefuseAdjacentStrings();
  // A ',' between elements; false at the list's end.
  bool NextElement(Position open);

  void SkipValue();
  void SkipList();
  // Enters a message that is read for its syntax only.
  void SkipMessage();
  void SkipDeep(Position open);

  const std::vector<Token> tokens_;
  size_t next_ = 0;
  PositionTable& positions_;
  Findings& findings_;
  std::vector<Frame> frames_;
  // The message that was closed last, right inside frames_.back().
  Frame closed_;
  // '{' minus '}' in the text: how many are missing in all (below 0: extra).
  int missing_braces_ = 0;
  // What is written to where a value must not count.
  std::vector<std::unique_ptr<Message>> discarded_;
};

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_TEXT_READER_H_
