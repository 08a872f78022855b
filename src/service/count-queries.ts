type Sessions = Pick<D1Database, "withSession">;

/** A database that says how many statements it is sent: of a batch all count, because nobody says that they do not. */
export function countQueries(database: Sessions, onQueries: (count: number) => void): Sessions {
  return {
    withSession(start) {
      const session = database.withSession(start);
      return {
        prepare: (query) => session.prepare(query),
        batch: (statements) => {
          onQueries(statements.length);
          return session.batch(statements);
        },
        getBookmark: () => session.getBookmark(),
      };
    },
  };
}
