import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { columnFamily, fromColumn, toColumn } from '../../../../../operator/backends/sql/shared/address-column';
import { addresses } from '../../../../support/arbitraries';

describe('address column', () => {
  test('reads back every address, as sent and as stored', () => {
    const db = new DatabaseSync(':memory:');
    const echo = db.prepare('SELECT ? AS address');
    fc.assert(
      fc.property(addresses, (address) => {
        const stored = echo.get(toColumn(address))!['address'] as number | Uint8Array;
        expect(fromColumn(stored)).toEqual(address);
        expect(fromColumn(toColumn(address))).toEqual(address);
        expect(columnFamily(stored)).toBe(address.family);
      }),
    );
    db.close();
  });

  test('is ordered by SQLite as addresses are', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE a (address ANY) STRICT');
    const insert = db.prepare('INSERT INTO a VALUES (?)');
    const sorted = db.prepare('SELECT address FROM a ORDER BY address');
    fc.assert(
      fc.property(fc.array(addresses, { maxLength: 20 }), (list) => {
        db.exec('DELETE FROM a');
        for (const address of list) insert.run(toColumn(address));
        const read = sorted.all().map((row) => fromColumn(row['address'] as number | Uint8Array).toString());
        expect(read).toEqual([...list].sort((a, b) => a.compareTo(b)).map(String));
      }),
    );
    db.close();
  });
});
