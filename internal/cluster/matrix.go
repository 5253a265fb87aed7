package cluster

import (
	"cmp"
	"slices"
	"strings"
)

// Vote is one participant's vote on one statement.
type Vote int8

// The three votes. A statement that was not voted on has none of them.
const (
	Disagree Vote = -1
	Neutral  Vote = 0
	Agree    Vote = +1
)

// StatementInfo is what is known of a statement besides its votes.
type StatementInfo struct {
	ID     string
	Author string // participant id of who wrote it; empty when unknown
	// Rejected and Meta statements keep their votes in the tallies and do not
	// count for the groups.
	Rejected bool
	Meta     bool
}

// excluded reports whether the statement's votes count for nothing in the
// projection.
func (s StatementInfo) excluded() bool { return s.Rejected || s.Meta }

// Matrix holds the votes of one question, only those that were cast: compressed
// rows, one row a participant, one column a statement. Rows and columns keep
// the order in which the builder first saw their ids. It is not changed once
// built, so it may be shared.
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

// Statement returns what is known of column j.
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

// Participant makes sure that the participant has a row, votes or not, and
// returns its number.
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

// Statement makes sure that the statement has a column, and replaces what is
// known of it.
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
	m := &Matrix{
		participants: slices.Clone(b.participants),
		statements:   slices.Clone(b.statements),
		start:        make([]int, len(b.participants)+1),
	}
	for _, block := range b.blocks {
		for _, c := range block {
			m.start[c>>32+1]++
		}
	}
	for i := range b.participants {
		m.start[i+1] += m.start[i]
	}
	// A stable counting sort by row; within a row the votes keep their order.
	cells := make([]uint32, m.start[len(b.participants)])
	next := slices.Clone(m.start[:len(b.participants)])
	for _, block := range b.blocks {
		for _, c := range block {
			cells[next[c>>32]] = uint32(c)
			next[c>>32]++
		}
	}
	m.column = make([]int32, 0, len(cells))
	m.vote = make([]Vote, 0, len(cells))
	byColumn := func(a, b uint32) int { return cmp.Compare(a>>2, b>>2) }
	for i := range b.participants {
		row := cells[m.start[i]:m.start[i+1]]
		if !slices.IsSortedFunc(row, byColumn) {
			slices.SortStableFunc(row, byColumn)
		}
		m.start[i] = len(m.column)
		for k, c := range row {
			if k+1 < len(row) && row[k+1]>>2 == c>>2 {
				continue // voted again later
			}
			m.column = append(m.column, int32(c>>2))
			m.vote = append(m.vote, Vote(c&3)-1)
		}
	}
	m.start[len(b.participants)] = len(m.column)
	return m
}

// sorted returns the matrix with rows and columns in id order. What is computed
// from it cannot depend on the order of the input.
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
	s := &Matrix{
		participants: make([]string, len(rows)),
		statements:   make([]StatementInfo, len(cols)),
		start:        make([]int, len(rows)+1),
		column:       make([]int32, len(m.column)),
		vote:         make([]Vote, len(m.vote)),
	}
	to := make([]uint32, len(cols))
	for j, from := range cols {
		s.statements[j] = m.statements[from]
		to[from] = uint32(j)
	}
	var packed []uint32
	for i, from := range rows {
		s.participants[i] = m.participants[from]
		columns, votes := m.Row(from)
		packed = packed[:0]
		for k, j := range columns {
			packed = append(packed, to[j]<<2|uint32(votes[k]+1))
		}
		slices.Sort(packed)
		at := s.start[i]
		for k, c := range packed {
			s.column[at+k] = int32(c >> 2)
			s.vote[at+k] = Vote(c&3) - 1
		}
		s.start[i+1] = at + len(packed)
	}
	return s
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

// CompareIDs is the order in which results list participants and statements:
// whole numbers by value, before everything else, which goes by bytes.
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
