"""Finds what can be changed in a Swift file: one list of mutants for its text.

A mutant is a range of bytes and the text that replaces it, in which both variants are present and `mutant(ID)` selects
the changed one. The syntax tree decides where an expression begins and ends; whether a mutant compiles is the
compiler's to say (mutated_copy.py).
"""

import hashlib
import re
from dataclasses import dataclass, field

import tree_sitter_swift
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_swift.language()))

BORDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
COMPARISON = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
LOGIC = {"&&": "||", "||": "&&"}

# An operator of these has its operands to both sides; the grammar does not always know which of two binds tighter, so
# the whole chain is written twice.
CHAIN = {
    "equality_expression", "comparison_expression", "conjunction_expression", "disjunction_expression",
    "infix_expression", "additive_expression", "multiplicative_expression", "bitwise_operation",
    "nil_coalescing_expression", "range_expression", "ternary_expression", "as_expression", "prefix_expression",
    "open_start_range_expression", "open_end_range_expression", "try_expression", "postfix_expression",
}
# In these nothing is changed: texts, patterns, names, attributes, types.
CLOSED = {
    "line_string_literal", "multi_line_string_literal", "raw_string_literal", "switch_pattern", "pattern", "attribute",
    "enum_entry", "import_declaration", "user_type", "type_annotation", "comment", "multiline_comment",
    "parameter_modifiers", "availability_condition", "key_path_expression",
}
# No test can see whether these are called: hints about space, and checks of what must hold anyway.
UNSEEN = re.compile(
    r"^(try\??\s+|await\s+)*([\w.?!]+\.)?"
    r"(reserveCapacity|precondition|preconditionFailure|assert|assertionFailure|fatalError)\b")
UNSEEN_LABELS = {"keepingCapacity", "minimumCapacity", "reservingCapacity", "line", "file"}
UNSEEN_MEMBERS = {"description", "debugDescription", "customMirror", "hash"}
NO_STATEMENTS = {"comment", "multiline_comment", "directive"}
LONG_LIST = 8


@dataclass
class Mutant:
    path: str
    kind: str
    line: int
    start: int
    end: int
    template: str  # with ID for the mutant's number
    before: str
    after: str
    key: str = ""
    number: int = 0
    state: dict = field(default_factory=dict)


def text(node: Node) -> str:
    return node.text.decode()


def one_line(source: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", source)).strip()


def closed_lines(source: str) -> set[int]:
    """Lines that this platform does not compile: the branches of `#if` for another one."""
    closed: set[int] = set()
    open_ifs: list[list[bool]] = []
    for number, line in enumerate(source.split("\n"), start=1):
        word = line.strip()
        if word.startswith("#if"):
            open_ifs.append([_holds_here(word)])
        elif word.startswith("#elseif"):
            open_ifs[-1] = [not open_ifs[-1][0] and _holds_here(word)]
        elif word.startswith("#else"):
            open_ifs[-1] = [not open_ifs[-1][0]]
        elif word.startswith("#endif"):
            open_ifs.pop()
        elif not all(level[0] for level in open_ifs):
            closed.add(number)
    return closed


def _holds_here(condition: str) -> bool:
    return bool(re.search(r"canImport\(Glibc\)|os\(Linux\)|!\s*canImport\(Darwin\)", condition))


class Finder:
    def __init__(self, path: str, source: bytes):
        self.path, self.source = path, source
        self.lines = source.decode().split("\n")
        self.closed = closed_lines(source.decode())
        self.found: list[Mutant] = []

    def mutants(self) -> list[Mutant]:
        self._visit(PARSER.parse(self.source).root_node)
        return [mutant for mutant in self.found if mutant.line not in self.closed]

    # --- the walk

    def _visit(self, node: Node) -> None:
        if node.type in CLOSED or self._is_unseen(node):
            return
        self._operators(node)
        self._literals(node)
        self._condition(node)
        self._swaps(node)
        self._syncs(node)
        if node.type == "statements":
            self._statements(node)
        if node.type == "switch_statement":
            self._cases(node)
        for child in node.children:
            self._visit(child)

    def _is_unseen(self, node: Node) -> bool:
        if node.type == "call_expression" and UNSEEN.match(text(node)):
            return True
        if node.type in ("property_declaration", "function_declaration"):
            name = node.child_by_field_name("name")
            return name is not None and text(name) in UNSEEN_MEMBERS
        if node.type == "value_argument":
            label = node.child_by_field_name("name")
            return label is not None and text(label) in UNSEEN_LABELS
        return False

    def _add(self, kind: str, at: Node, start: int, end: int, template: str, before: str, after: str) -> None:
        self.found.append(Mutant(
            self.path, kind, at.start_point[0] + 1, start, end, template, one_line(before), one_line(after)))

    def _either(self, kind: str, at: Node, start: int, end: int, changed: str, before: str, after: str) -> None:
        now = self.source[start:end].decode()
        self._add(kind, at, start, end, f"(mutant(ID) ? ({changed}) : ({now}))", before, after)

    # --- expressions

    def _chain(self, node: Node) -> Node:
        while node.parent is not None and node.parent.type in CHAIN:
            node = node.parent
        return node

    def _operators(self, node: Node) -> None:
        if node.type == "prefix_expression":
            sign = node.children[0]
            if sign.type == "bang" and node.parent is not None:
                self._replace_operator("negation", sign, "")
            return
        if node.type not in CHAIN:
            return
        for child in node.children:
            if child.child_count:
                continue
            sign = text(child)
            for kind, table in (("border", BORDER), ("comparison", COMPARISON), ("logic", LOGIC)):
                if sign in table:
                    self._replace_operator(kind, child, table[sign])

    def _replace_operator(self, kind: str, sign: Node, new: str) -> None:
        chain = self._chain(sign.parent)
        start, end = chain.start_byte, chain.end_byte
        changed = self.source[start:sign.start_byte].decode() + new + self.source[sign.end_byte:end].decode()
        parent = sign.parent
        after = self.source[parent.start_byte:sign.start_byte].decode() + new \
            + self.source[sign.end_byte:parent.end_byte].decode()
        self._either(kind, sign, start, end, changed, text(parent), after)

    def _literals(self, node: Node) -> None:
        if node.type == "boolean_literal":
            other = "false" if text(node) == "true" else "true"
            self._either("constant", node, node.start_byte, node.end_byte, other, self._around(node), other)
        if node.type not in ("integer_literal", "hex_literal"):
            return
        parent = node.parent
        if parent.type == "navigation_suffix":  # the member of a tuple
            return
        if parent.type == "array_literal" and parent.named_child_count > LONG_LIST:
            return
        digits = text(node).replace("_", "")
        value = int(digits, 16) if node.type == "hex_literal" else int(digits)
        for other in (value + 1, value - 1):
            if other >= 0:
                new = hex(other) if node.type == "hex_literal" else str(other)
                self._either("constant", node, node.start_byte, node.end_byte, new, self._around(node), new)

    def _around(self, node: Node) -> str:
        """A literal with the expression that it is in, since `3` alone says nothing."""
        outer = node.parent
        while outer.parent is not None and text(outer) == text(node):
            outer = outer.parent
        return f"{text(node)} in {one_line(text(outer))[:60]}"

    def _condition(self, node: Node) -> None:
        if node.type not in ("if_statement", "guard_statement", "while_statement"):
            return
        children = node.children
        for index, child in enumerate(children):
            if node.field_name_for_child(index) != "condition" or index == 0 or index + 1 == len(children):
                continue
            if child.type not in ("call_expression", "navigation_expression", "simple_identifier"):
                continue
            opens = text(children[index - 1]) in ("if", "guard", "while", ",")
            closes = children[index + 1].type in ("{", ",", "else")
            if opens and closes:
                self._either(
                    "negation", child, child.start_byte, child.end_byte, f"!({text(child)})", text(child),
                    f"!{text(child)}")

    def _swaps(self, node: Node) -> None:
        if node.type != "value_arguments" or node.parent.type != "call_suffix":
            return
        call = node.parent.parent
        if call.type != "call_expression":
            return
        arguments = [child for child in node.children if child.type == "value_argument"]
        values = [argument.child_by_field_name("value") for argument in arguments]
        for first, second in zip(values, values[1:]):
            if first is None or second is None or text(first) == text(second):
                continue
            if not all(self._is_name(value) for value in (first, second)):
                continue
            start, end = call.start_byte, call.end_byte
            changed = (
                self.source[start:first.start_byte] + second.text + self.source[first.end_byte:second.start_byte]
                + first.text + self.source[second.end_byte:end]).decode()
            self._either("swapped", first, start, end, changed, text(call), changed)

    def _is_name(self, node: Node) -> bool:
        return node.type in ("simple_identifier", "navigation_expression", "prefix_expression", "integer_literal") \
            and not text(node).startswith("&")

    def _syncs(self, node: Node) -> None:
        """`.sync(FILE, then: STEP)` of a job becomes `.next(STEP)`."""
        if node.type != "call_expression" or not text(node).startswith(".sync("):
            return
        then = re.search(r"then:\s*(.*)\)$", text(node), re.S)
        if then:
            changed = f".next({then.group(1)})"
            self._either("sync", node, node.start_byte, node.end_byte, changed, text(node), changed)

    # --- statements

    def _statements(self, block: Node) -> None:
        statements = [child for child in block.children if child.is_named and child.type not in NO_STATEMENTS]
        for index, statement in enumerate(statements):
            if self._is_unseen(statement):
                continue
            if self._can_be_dropped(statement):
                source = text(statement)
                kind = "sync" if re.search(r"\b(sync|syncDirectory|fsync|fdatasync)\(", source) else "statement"
                self._add(
                    kind, statement, statement.start_byte, statement.end_byte,
                    f"if !mutant(ID) {{ {source}\n}}", source, "(left out)")
            value = self._early_value(statement)
            is_last_return = index + 1 == len(statements) and statement.type == "control_transfer_statement"
            if value is not None and not is_last_return:
                self._add(
                    "early return", statement, statement.start_byte, statement.end_byte,
                    f"if mutant(ID) {{ return{value} }}\n{text(statement)}", text(statement).split("\n")[0],
                    f"return{value}, before it")

    def _can_be_dropped(self, statement: Node) -> bool:
        if statement.type in ("assignment", "call_expression", "try_expression"):
            return not text(statement).startswith("defer")
        if statement.type != "control_transfer_statement":
            return False
        alone = statement.parent.parent.type == "switch_entry" and statement.parent.named_child_count == 1
        return text(statement) in ("continue", "return", "break") and not alone

    def _early_value(self, statement: Node) -> str | None:
        """What a function can return early: nothing, nil, false or an empty list. None when it is no function's."""
        node = statement.parent
        while node is not None and node.type not in (
                "function_declaration", "lambda_literal", "computed_property", "init_declaration", "source_file"):
            node = node.parent
        if node is None or node.type not in ("function_declaration", "init_declaration"):
            return None
        if node.type == "init_declaration":
            return None
        arrow = [index for index, child in enumerate(node.children) if child.type == "->"]
        if not arrow:
            return ""
        returned = node.children[arrow[0] + 1]
        if returned.type == "optional_type":
            return " nil"
        if returned.type == "array_type":
            return " []"
        return " false" if text(returned) == "Bool" else None

    def _cases(self, switch: Node) -> None:
        entries = [child for child in switch.children if child.type == "switch_entry"]
        has_default = any(child.type == "default_keyword" for entry in entries for child in entry.children)
        for entry in entries:
            patterns = [child for child in entry.children if child.type == "switch_pattern"]
            if not patterns:
                continue
            head = "case " + ", ".join(one_line(text(pattern)) for pattern in patterns)
            guarded = any(child.type == "where_keyword" for child in entry.children)
            if (has_default or len(patterns) > 1) and not guarded:
                last = patterns[-1]
                self._add(
                    "case", last, last.start_byte, last.end_byte, f"{text(last)} where !mutant(ID)", head,
                    f"without {one_line(text(last))}")
            body = next((child for child in entry.children if child.type == "statements"), None)
            if body is not None and body.named_child_count > 1:
                self._add(
                    "case", body, body.start_byte, body.end_byte, f"if !mutant(ID) {{ {text(body)}\n}}",
                    f"{head}: {text(body)[:60]}", "(does nothing)")


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """All mutants of a file, each with a key that stays when other lines change."""
    finder = Finder(path, source)
    found = finder.mutants()
    seen: dict[str, int] = {}
    for mutant in found:
        line = finder.lines[mutant.line - 1].strip()
        name = "|".join([path, line, mutant.kind, mutant.before, mutant.after])
        seen[name] = seen.get(name, 0) + 1
        mutant.key = hashlib.sha256(f"{name}|{seen[name]}".encode()).hexdigest()[:8]
    return found
