package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Account is someone who can sign in.
type Account struct {
	ID       int64
	Email    string
	Password string // argon2id, encoded; empty: no password was set yet
	Role     string // on the whole server: admin, researcher, moderator or viewer; or member, for single studies only
	Disabled bool
}

func scanAccount(row scanner) (Account, error) {
	var a Account
	err := row.Scan(&a.ID, &a.Email, &a.Password, &a.Role, &a.Disabled)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return a, err
}

const accountColumns = `a.id, a.email, a.password, a.role, a.disabled`

// CreateAccount adds an account; ErrConflict where the address has one.
func (s *Store) CreateAccount(ctx context.Context, a Account, by Actor) (id int64, err error) {
	err = s.update(ctx, func(tx *tx) error {
		result, err := tx.exec(`INSERT INTO account (email, password, role, created_at) VALUES (?, ?, ?, ?)`, a.Email, a.Password, a.Role, tx.now)
		if isUnique(err) {
			return fmt.Errorf("there is already an account for this address: %w", ErrConflict)
		}
		if err != nil {
			return err
		}
		if id, err = result.LastInsertId(); err != nil {
			return err
		}
		return note(tx, by, 0, AccountCreated, a.Email+", "+a.Role)
	})
	if err != nil {
		return 0, fmt.Errorf("creating an account: %w", err)
	}
	return id, nil
}

// AccountByEmail finds an account by its address, regardless of case.
func (s *Store) AccountByEmail(ctx context.Context, email string) (Account, error) {
	a, err := scanAccount(s.read.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.email = ?`, email))
	if err != nil {
		return a, fmt.Errorf("looking up an account: %w", err)
	}
	return a, nil
}

// SetPassword stores a new encoded password and ends all sign-ins and access tokens of the account.
func (s *Store) SetPassword(ctx context.Context, accountID int64, encoded string) error {
	err := s.update(ctx, func(tx *tx) error {
		if _, err := tx.exec(`UPDATE account SET password = ? WHERE id = ?`, encoded, accountID); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM sign_in WHERE account_id = ?`, accountID); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM access_token WHERE account_id = ?`, accountID); err != nil {
			return err
		}
		return note(tx, Actor(accountID), 0, PasswordSet, "")
	})
	if err != nil {
		return fmt.Errorf("setting a password: %w", err)
	}
	return nil
}

// SignIn opens a sign-in and returns the token for its cookie.
func (s *Store) SignIn(ctx context.Context, accountID int64, life time.Duration) (tok string, err error) {
	tok = token()
	err = s.update(ctx, func(tx *tx) error {
		if _, err := tx.exec(`DELETE FROM sign_in WHERE expires_at < ?`, tx.now); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO sign_in (token_hash, account_id, created_at, expires_at) VALUES (?, ?, ?, ?)`,
			hashed(tok), accountID, tx.now, tx.now+life.Milliseconds()); err != nil {
			return err
		}
		return note(tx, Actor(accountID), 0, SignedIn, "")
	})
	if err != nil {
		return "", fmt.Errorf("signing in: %w", err)
	}
	return tok, nil
}

// SignedIn returns the account of a sign-in's token; ErrNotFound if it has expired or the account is
// disabled.
func (s *Store) SignedIn(ctx context.Context, token string) (Account, error) {
	a, err := scanAccount(s.read.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM sign_in i JOIN account a ON a.id = i.account_id
		WHERE i.token_hash = ? AND i.expires_at > ? AND NOT a.disabled`, hashed(token), s.now().UnixMilli()))
	if err != nil {
		return a, fmt.Errorf("checking a sign-in: %w", err)
	}
	return a, nil
}

// SignOut ends a sign-in.
func (s *Store) SignOut(ctx context.Context, token string) error {
	err := s.update(ctx, func(tx *tx) error {
		var account int64
		err := tx.row(`DELETE FROM sign_in WHERE token_hash = ? RETURNING account_id`, hashed(token)).Scan(&account)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // it was over before
		}
		if err != nil {
			return err
		}
		return note(tx, Actor(account), 0, SignedOut, "")
	})
	if err != nil {
		return fmt.Errorf("signing out: %w", err)
	}
	return nil
}

// NewLink makes a link token that signs an account in. A link works once,
// unless it is reusable.
func (s *Store) NewLink(ctx context.Context, accountID int64, life time.Duration, reusable bool) (tok string, err error) {
	tok = token()
	err = s.update(ctx, func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO sign_in_link (token_hash, account_id, reusable, expires_at) VALUES (?, ?, ?, ?)`, hashed(tok), accountID, reusable, tx.now+life.Milliseconds())
		return err
	})
	if err != nil {
		return "", fmt.Errorf("making a sign-in link: %w", err)
	}
	return tok, nil
}

// UseLink takes a link token and returns its account; ErrNotFound if the link is unknown, used or expired.
func (s *Store) UseLink(ctx context.Context, token string) (a Account, err error) {
	err = s.update(ctx, func(tx *tx) error {
		result, err := tx.exec(`UPDATE sign_in_link SET used_at = ?1 WHERE token_hash = ?2 AND expires_at > ?1 AND (used_at IS NULL OR reusable)`, tx.now, hashed(token))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrNotFound)
		}
		a, err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM sign_in_link l JOIN account a ON a.id = l.account_id WHERE l.token_hash = ? AND NOT a.disabled`, hashed(token)))
		return err
	})
	if err != nil {
		return Account{}, fmt.Errorf("using a sign-in link: %w", err)
	}
	return a, nil
}

func hashed(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
