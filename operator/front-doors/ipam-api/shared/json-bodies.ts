import type { FastifyInstance } from 'fastify';
import { parseJson } from '../../../contract/json-slices';

const JSON_TYPE = 'application/json';
/** Whatever a client calls its body, as the original IPAM-API takes it. */
export const ANY_TYPE = ['text/plain', '*'];

/**
 * Makes an instance read JSON bodies without holding the event loop for long, however large they are. Unknown members are
 * ignored or refused by each path, so `__proto__` and its like are no exception: they are dropped before they become a prototype.
 *
 * @param app - instance without routes so far
 * @param types - content types that are read as JSON; `*`: those without a parser, and none at all
 */
export function readJsonBodies(app: FastifyInstance, types: string | string[] = JSON_TYPE): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (request, bytes, done) => {
    // it calls back at once
    const parsePiece = (text: string): unknown => {
      let value: unknown;
      void parse(request, text, (error, parsed) => {
        if (error !== null) throw error;
        value = parsed;
      });
      return value;
    };
    parseJson(bytes as Buffer, parsePiece).then(
      (body) => {
        done(null, body);
      },
      (error: unknown) => {
        done(error as Error);
      },
    );
  });
}
