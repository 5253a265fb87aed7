package cluster

import (
	"cmp"
	"slices"
	"strings"
)

// Vote is one participant's vote on one statement.
type Vote int8

// The three votes. A statement that was not voted on has no vote.
const (
	Disagree Vote = -1
	Neutral  Vote = 0
	Agree    Vote = +1
)

// StatementInfo is what is known about a statement besides its votes.
type StatementInfo struct {
	ID     string
	Author string // participant id of who wrote it; empty when unknown
	// Rejected and Meta statements keep their votes in the tallies but do not count for the groups.
	Rejected bool
	Meta     bool
}

// excluded reports whether the statement's votes are ignored in the projection.
func (s StatementInfo) excluded() bool { return s.Rejected || s.Meta }

// Matrix holds the votes of one question, only those that were cast, as compressed rows: one row per
// participant, one column per statement. Rows and columns keep the order in which the builder first saw their
// ids. It does not change once built, so it may be shared.
type Matrix struct {
	participants []string
	statements   []StatementInfo
	start        []int // row i is [start[i], start[i+1]) of column and vote
	column       []int32
	vote         []Vote
}

// Dims returns the number of participants and of statements.
func (m *Matrix) Dims() (participants, statements int) {
	return len(m.participants), len(m.statements)
}

// Votes returns the number of votes cast.
func (m *Matrix) Votes() int { return len(m.vote) }

// Participant returns the id of row i.
func (m *Matrix) Participant(i int) string { return m.participants[i] }

// Statement returns what is known about column j.
func (m *Matrix) Statement(j int) StatementInfo { return m.statements[j] }

// Row returns the columns that participant i voted on, ascending, and the
// votes. The slices belong to the matrix and must not be changed.
func (m *Matrix) Row(i int) (columns []int32, votes []Vote) {
	a, b := m.start[i], m.start[i+1]
	return m.column[a:b], m.vote[a:b]
}

// Builder collects votes into a Matrix. The zero value is not usable; call
// NewBuilder.
type Builder struct {
	rows, cols   map[string]int32
	participants []string
	statements   []StatementInfo
	blocks       [][]uint64 // packed cells in the order they came
	lastRow      int32      // most files come grouped by participant
	lastCol      int32
}

// builderBlock is the number of cells that the builder allocates at a time.
const builderBlock = 1 << 16

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{rows: map[string]int32{}, cols: map[string]int32{}}
}

// Participant makes sure that the participant has a row, with or without votes, and returns its number.
func (b *Builder) Participant(id string) int {
	if int(b.lastRow) < len(b.participants) && b.participants[b.lastRow] == id {
		return int(b.lastRow)
	}
	i, ok := b.rows[id]
	if !ok {
		i = int32(len(b.participants))
		id = strings.Clone(id)
		b.rows[id] = i
		b.participants = append(b.participants, id)
	}
	b.lastRow = i
	return int(i)
}

// Statement makes sure that the statement has a column, and replaces what is known about it.
func (b *Builder) Statement(s StatementInfo) {
	j := b.statement(s.ID)
	s.ID = b.statements[j].ID
	b.statements[j] = s
}

func (b *Builder) statement(id string) int {
	if int(b.lastCol) < len(b.statements) && b.statements[b.lastCol].ID == id {
		return int(b.lastCol)
	}
	j, ok := b.cols[id]
	if !ok {
		j = int32(len(b.statements))
		id = strings.Clone(id)
		b.cols[id] = j
		b.statements = append(b.statements, StatementInfo{ID: id})
	}
	b.lastCol = j
	return int(j)
}

// Vote records a vote; a later vote of the same participant on the same
// statement replaces it. Only the sign of v counts.
func (b *Builder) Vote(participant, statement string, v Vote) {
	b.Cell(b.Participant(participant), b.statement(statement), v)
}

// Cell records a vote by row number, as returned by Participant, and by the
// number of the statement in order of first sight. Both must exist.
func (b *Builder) Cell(row, column int, v Vote) {
	last := len(b.blocks) - 1
	if last < 0 || len(b.blocks[last]) == builderBlock {
		size := builderBlock
		if last < 0 {
			size = 1024 // the first block grows, so that small questions stay small
		}
		b.blocks = append(b.blocks, make([]uint64, 0, size))
		last++
	}
	b.blocks[last] = append(b.blocks[last], uint64(row)<<32|uint64(column)<<2|uint64(cmp.Compare(v, 0)+1))
}

// Matrix returns the matrix of all votes so far.
func (b *Builder) Matrix() *Matrix {
	return newMatrix(slices.Clone(b.participants), slices.Clone(b.statements), func(cell func(row, column int32, vote Vote)) {
		for _, block := range b.blocks {
			for _, c := range block {
				cell(int32(c>>32), int32(uint32(c)>>2), Vote(c&3)-1)
			}
		}
	})
}

// newMatrix arranges the cells that each yields; it is called twice and yields the same ones. A later cell of
// the same row and column replaces an earlier one. It is a stable counting sort, by column and then by row.
func newMatrix(participants []string, statements []StatementInfo, each func(cell func(row, column int32, vote Vote))) *Matrix {
	m := &Matrix{participants: participants, statements: statements, start: make([]int, len(participants)+1)}
	above := make([]int, len(statements)+1) // where each column begins
	each(func(row, column int32, _ Vote) {
		m.start[row+1]++
		above[column+1]++
	})
	for i := range participants {
		m.start[i+1] += m.start[i]
	}
	for j := range statements {
		above[j+1] += above[j]
	}
	cells := make([]uint32, above[len(statements)]) // by column: row and vote
	next := slices.Clone(above)
	each(func(row, column int32, vote Vote) {
		cells[next[column]] = uint32(row)<<2 | uint32(vote+1)
		next[column]++
	})
	m.column, m.vote = make([]int32, len(cells)), make([]Vote, len(cells))
	next = slices.Clone(m.start)
	for j := range statements {
		for _, c := range cells[above[j]:above[j+1]] {
			row := c >> 2
			at := next[row]
			if at > m.start[row] && m.column[at-1] == int32(j) {
				at-- // voted again
			}
			m.column[at], m.vote[at] = int32(j), Vote(c&3)-1
			next[row] = at + 1
		}
	}
	m.close(next)
	return m
}

// close removes the gaps left by replaced votes: row i ends at end[i].
func (m *Matrix) close(end []int) {
	at := 0
	for i := range m.participants {
		from, to := m.start[i], end[i]
		m.start[i] = at
		if at < from {
			copy(m.column[at:], m.column[from:to])
			copy(m.vote[at:], m.vote[from:to])
		}
		at += to - from
	}
	m.start[len(m.participants)] = at
	m.column, m.vote = m.column[:at], m.vote[:at]
}

// sorted returns the matrix with rows and columns in id order, so that results cannot depend on the order of
// the input.
func (m *Matrix) sorted() *Matrix {
	rows := order(len(m.participants), func(a, b int) int {
		return CompareIDs(m.participants[a], m.participants[b])
	})
	cols := order(len(m.statements), func(a, b int) int {
		return CompareIDs(m.statements[a].ID, m.statements[b].ID)
	})
	if slices.IsSorted(rows) && slices.IsSorted(cols) {
		return m
	}
	participants, statements := make([]string, len(rows)), make([]StatementInfo, len(cols))
	to := make([]int32, len(cols))
	for i, from := range rows {
		participants[i] = m.participants[from]
	}
	for j, from := range cols {
		statements[j] = m.statements[from]
		to[from] = int32(j)
	}
	return newMatrix(participants, statements, func(cell func(row, column int32, vote Vote)) {
		for i, from := range rows {
			columns, votes := m.Row(from)
			for k, j := range columns {
				cell(int32(i), to[j], votes[k])
			}
		}
	})
}

// order returns 0..n-1 sorted by compare.
func order(n int, compare func(a, b int) int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	slices.SortFunc(idx, compare)
	return idx
}

// CompareIDs is the order in which results list participants and statements: whole numbers first, by value;
// everything else after them, by bytes.
func CompareIDs(a, b string) int {
	na, nb := WholeNumber(a), WholeNumber(b)
	switch {
	case na && nb:
		ta, tb := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		if c := cmp.Compare(len(ta), len(tb)); c != 0 {
			return c
		}
		if c := strings.Compare(ta, tb); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	case na:
		return -1
	case nb:
		return 1
	}
	return strings.Compare(a, b)
}

// WholeNumber reports whether an id consists of digits only.
func WholeNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
