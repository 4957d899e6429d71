import { Type, type TSchema } from '@sinclair/typebox';
import { list, record } from './pieces';

/** Most entries of a list whose length other limits bound. */
export const MANY = 1_000_000;

/** Where the next page of a listing begins. */
export const next = Type.Optional(
  Type.String({ maxLength: 2_000, description: 'give it as "after" to get the next page; absent on the last' }),
);

/**
 * Declares a page of a listing.
 *
 * @param items - schema of one entry
 * @param description - what the entries are
 * @returns the schema
 */
export function pageOf<S extends TSchema>(items: S, description: string) {
  return record({ entries: list(items, MANY, 'entries of this page'), next }, description);
}
