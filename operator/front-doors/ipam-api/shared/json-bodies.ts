import type { FastifyInstance } from 'fastify';
import { parseJson } from '../../../contract/json-slices';

/**
 * Makes an instance read JSON bodies without holding the event loop for long, however large they are. Unknown members are
 * ignored or refused by each path, so `__proto__` and its like are no exception: they are dropped before they become a prototype.
 *
 * @param app - instance without routes so far
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
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
