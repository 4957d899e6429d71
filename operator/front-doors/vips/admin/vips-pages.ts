import type { FastifyInstance, FastifyReply } from 'fastify';
import { parseHostPrefix } from '../../../addressing/prefix';
import type { Address } from '../../../addressing/address';
import { ADMIN_PATHS } from '../../../contract/ipam-api/admin-paths';
import { sendProblem } from '../../../contract/ipam-api/v3/problem';
import { refusalOf } from '../../../errors/ipam-error';
import { addressPage, historyPage } from './address-page';
import { findingsPage } from './findings-page';
import { servicePage } from './service-page';
import { treePage } from './tree-page';
import type { VipsPagesParts } from './vips-pages-parts';

/**
 * Serves what the VIPs door knows, for `ipam tree`, `explain`, `history` and `doctor`. Every caller may read everything, so the server
 * must listen where only the operator's user can connect.
 *
 * @param app - server of the admin socket
 * @param parts - record, groups, Services, Events
 */
export function registerVipsPages(app: FastifyInstance, parts: VipsPagesParts): void {
  // until all of it is known, an answer would tell that there is nothing
  const whenKnown = async (): Promise<void> => {
    const feeds = [parts.groups, parts.services, parts.namespaces];
    await Promise.all(feeds.map((feed) => feed.whenSynced()));
    await parts.shown.whenKnown();
  };
  const page = async (reply: FastifyReply, read: () => object | Promise<object>): Promise<unknown> => {
    try {
      await whenKnown();
      return await reply.send(await read());
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  };
  const ofAddress = (text: string, reply: FastifyReply, read: (address: Address) => object | Promise<object>) => {
    const parsed = parseHostPrefix(text);
    return parsed.ok ? page(reply, () => read(parsed.value)) : sendProblem(reply, parsed.refusal);
  };
  app.get(ADMIN_PATHS.vipsTree, (_request, reply) => page(reply, () => treePage(parts)));
  app.get(ADMIN_PATHS.vipsFindings, (_request, reply) => page(reply, () => findingsPage(parts)));
  app.get<{ Params: { readonly namespace: string; readonly name: string } }>(
    `${ADMIN_PATHS.vipsServices}/:namespace/:name`,
    ({ params }, reply) => page(reply, () => servicePage(parts, params)),
  );
  app.get<{ Params: { readonly address: string } }>(`${ADMIN_PATHS.vipsAddresses}/:address`, ({ params }, reply) =>
    ofAddress(params.address, reply, (address) => addressPage(parts, address)),
  );
  app.get<{ Params: { readonly address: string } }>(
    `${ADMIN_PATHS.vipsAddresses}/:address/history`,
    ({ params }, reply) => ofAddress(params.address, reply, (address) => historyPage(parts, address)),
  );
}
