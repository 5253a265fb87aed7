package score

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Subgroup is how the models represent the participants who share a value of
// an attribute.
type Subgroup struct {
	Attribute    string `json:"attribute"`
	Value        string `json:"value"`
	Participants int    `json:"participants"`
	// Models is null if there are fewer participants than the minimum.
	Models []SubgroupModel `json:"models"`
}

// SubgroupModel is one model seen by one subgroup, with 95 % intervals from
// drawing its participants with replacement.
type SubgroupModel struct {
	Model   string `json:"model"`
	Ratings int    `json:"ratings"`
	// Mean rating, and share of ratings at or above the threshold.
	Mean          Number   `json:"mean"`
	MeanCI        Interval `json:"mean_ci"`
	Represented   Number   `json:"represented"`
	RepresentedCI Interval `json:"represented_ci"`
	// Coverage is the share of the subgroup's members, each counted once for
	// each question, whose viewpoint group the model covers. Groups are
	// covered or not by the ratings of all their members.
	Coverage   Number   `json:"coverage"`
	CoverageCI Interval `json:"coverage_ci"`
}

// Subgroups scores the models for each value of each attribute of the participants. For subgroups with fewer
// than minimum participants only the size is shown.
func Subgroups(r Ratings, p Parameters, attributes []string, minimum int) ([]Subgroup, error) {
	o, err := OvertonScore(r, Parameters{Tau: p.Tau, Missing: p.Missing})
	if err != nil {
		return nil, err
	}
	var all []Subgroup
	for _, attribute := range attributes {
		people, err := r.ofParticipants(attribute)
		if err != nil {
			return nil, fmt.Errorf("subgroups: %w", err)
		}
		members := map[string]map[string]int{} // value -> participant -> position
		for _, id := range sortedIDs(people) {
			if v := people[id]; v != "" {
				if members[v] == nil {
					members[v] = map[string]int{}
				}
				members[v][id] = len(members[v])
			}
		}
		for _, value := range sortedIDs(members) {
			s := Subgroup{Attribute: attribute, Value: value, Participants: len(members[value])}
			if s.Participants >= minimum {
				s.Models = subgroupModels(r, o, p, members[value])
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// memberTally sums one participant's ratings of one model.
type memberTally struct{ ratings, sum, represented, seats, covered float64 }

// subgroupModels scores the models for some participants, numbered from 0.
func subgroupModels(r Ratings, o *Overton, p Parameters, members map[string]int) []SubgroupModel {
	index := map[string]int{}
	for m, s := range o.Models {
		index[s.Model] = m
	}
	covered := map[string]map[string]map[string]bool{} // question -> model -> group
	for _, q := range o.Questions {
		covered[q.Question] = map[string]map[string]bool{}
		for model, flags := range q.Covered {
			covered[q.Question][model] = map[string]bool{}
			for g, flag := range flags {
				covered[q.Question][model][q.Groups[g].Group] = flag == 1
			}
		}
	}
	tallies := make([][]memberTally, len(o.Models)) // [model][participant]
	for m := range tallies {
		tallies[m] = make([]memberTally, len(members))
	}
	for _, row := range r.Rows {
		i, in := members[row.Participant]
		if !in || math.IsNaN(row.Value) {
			continue
		}
		t := &tallies[index[row.Model]][i]
		t.ratings++
		t.sum += row.Value
		if row.Value >= p.Tau {
			t.represented++
		}
		if row.Group != "" {
			t.seats++
			if covered[row.Question][row.Model][row.Group] {
				t.covered++
			}
		}
	}
	rng := rand.New(rand.NewPCG(p.Seed, streamSubgroups))
	draws := make([][]int, p.Bootstrap)
	for b := range draws {
		draws[b] = drawTimes(len(members), rng)
	}
	models := make([]SubgroupModel, len(o.Models))
	for m, tally := range tallies {
		all := sumTallies(tally, nil)
		means, represented, shares := make([]float64, len(draws)), make([]float64, len(draws)), make([]float64, len(draws))
		for b, times := range draws {
			t := sumTallies(tally, times)
			means[b], represented[b], shares[b] = t.sum/t.ratings, t.represented/t.ratings, t.covered/t.seats
		}
		s := SubgroupModel{
			Model:       o.Models[m].Model,
			Ratings:     int(all.ratings),
			Mean:        Number(all.sum / all.ratings),
			Represented: Number(all.represented / all.ratings),
			Coverage:    Number(all.covered / all.seats),
		}
		s.MeanCI, _ = percentileInterval(means)
		s.RepresentedCI, _ = percentileInterval(represented)
		s.CoverageCI, _ = percentileInterval(shares)
		models[m] = s
	}
	return models
}

func sumTallies(tallies []memberTally, times []int) memberTally {
	var s memberTally
	for i, t := range tallies {
		n := float64(count(times, i))
		s.ratings += n * t.ratings
		s.sum += n * t.sum
		s.represented += n * t.represented
		s.seats += n * t.seats
		s.covered += n * t.covered
	}
	return s
}
