import { Type } from '@sinclair/typebox';
import { DEFAULT_PAGE, MAX_PAGE } from './pieces';

/** Which page of a listing. */
export const PAGE = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      description: `most entries, 1 to ${MAX_PAGE}; else ${DEFAULT_PAGE}`,
    }),
  ),
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: '"next" of the page before' })),
};

/**
 * Declares a switch of a query.
 *
 * @param description - what it switches
 * @returns the schema
 */
export const SWITCH = (description: string) => Type.Boolean({ description });
