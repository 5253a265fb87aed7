package store

import (
	"context"
	"fmt"
	"time"

	"overton/internal/study"
)

// Accounts lists all accounts by address.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) {
	return collect(ctx, s.read, "listing accounts", scanAccount, `SELECT `+accountColumns+` FROM account a ORDER BY a.email`)
}

// ResetAccount removes an account's password, ends its sign-ins, access tokens and earlier links, and makes a
// link with which its owner can set a new password. The link works once.
func (s *Store) ResetAccount(ctx context.Context, accountID int64, life time.Duration, by Actor) (link string, err error) {
	err = s.update(ctx, func(tx *tx) error {
		a, err := scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE a.id = ?`, accountID))
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE account SET password = '' WHERE id = ?`, accountID); err != nil {
			return err
		}
		if err := shutOut(tx, accountID); err != nil {
			return err
		}
		if link, err = newLink(tx, accountID, life); err != nil {
			return err
		}
		return note(tx, by, 0, AccountLink, a.Email)
	})
	if err != nil {
		return "", fmt.Errorf("making a new link for an account: %w", err)
	}
	return link, nil
}

// DisableAccount disables an account, or enables it again. The last admin cannot be disabled: the error is
// ErrConflict.
func (s *Store) DisableAccount(ctx context.Context, accountID int64, disabled bool, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		a, err := scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE a.id = ?`, accountID))
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE account SET disabled = ? WHERE id = ?`, disabled, accountID); err != nil {
			return err
		}
		if !disabled {
			return note(tx, by, 0, AccountEnabled, a.Email)
		}
		if err := someAdmin(tx, a); err != nil {
			return err
		}
		if err := shutOut(tx, accountID); err != nil {
			return err
		}
		return note(tx, by, 0, AccountDisabled, a.Email)
	})
	if err != nil {
		return fmt.Errorf("changing an account: %w", err)
	}
	return nil
}

// SetRole changes what an account may do on the whole server. The last admin must stay an admin: otherwise
// the error is ErrConflict.
func (s *Store) SetRole(ctx context.Context, accountID int64, role string, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		a, err := scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE a.id = ?`, accountID))
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE account SET role = ? WHERE id = ?`, role, accountID); err != nil {
			return err
		}
		if err := someAdmin(tx, a); err != nil {
			return err
		}
		return note(tx, by, 0, AccountRole, a.Email+", "+role+", "+a.Role+" before")
	})
	if err != nil {
		return fmt.Errorf("changing an account: %w", err)
	}
	return nil
}

// someAdmin is an error if a change to an account left no admin.
func someAdmin(tx *tx, changed Account) error {
	var admins int
	if err := tx.row(`SELECT count(*) FROM account WHERE role = 'admin' AND NOT disabled`).Scan(&admins); err != nil {
		return err
	}
	if changed.Role == "admin" && admins == 0 {
		return fmt.Errorf("%s is the last admin: %w", changed.Email, ErrConflict)
	}
	return nil
}

// shutOut ends an account's sign-ins, access tokens and links.
func shutOut(tx *tx, accountID int64) error {
	if _, err := tx.exec(`DELETE FROM sign_in WHERE account_id = ?`, accountID); err != nil {
		return err
	}
	if _, err := tx.exec(`DELETE FROM access_token WHERE account_id = ?`, accountID); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM sign_in_link WHERE account_id = ?`, accountID)
	return err
}

// Note records what somebody did that changes nothing, such as a download;
// changes are noted by the functions that make them, in the same transaction.
// studyID is 0 for what belongs to no study.
func (s *Store) Note(ctx context.Context, by Actor, studyID int64, what Deed, detail string) error {
	if err := s.update(ctx, func(tx *tx) error { return note(tx, by, studyID, what, detail) }); err != nil {
		return fmt.Errorf("noting %q: %w", what.name, err)
	}
	return nil
}

// Total is how many submissions a study has.
type Total struct{ Complete, InProgress, Virtual int }

// Totals counts the submissions of each study that has any, by its ID: real ones that are complete, real ones
// that are in progress with live reservations, and all virtual ones.
func (s *Store) Totals(ctx context.Context) (map[int64]Total, error) {
	totals := map[int64]Total{}
	_, err := collect(ctx, s.read, "counting submissions", func(row scanner) (struct{}, error) {
		var id int64
		var t Total
		err := row.Scan(&id, &t.Complete, &t.InProgress, &t.Virtual)
		totals[id] = t
		return struct{}{}, err
	}, `SELECT study_id, sum(NOT virtual AND outcome = ?), sum(NOT virtual AND outcome = '' AND expires_at > ?), sum(virtual) FROM submission GROUP BY study_id`,
		study.Completed, s.now().UnixMilli())
	return totals, err
}
