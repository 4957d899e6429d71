import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { PageSender } from '../../contract/ipam-api/v3/page-sender';
import { addressPage, historyPage } from './address-page';
import { findingsPage } from './findings-page';
import type { NetworksPagesParts } from './networks-pages-parts';
import { objectPage } from './object-page';

/**
 * Serves what the Networks door knows, for `ipam explain`, `history` and `doctor`. Every caller may read everything, so the server must
 * listen where only the operator's user can connect.
 *
 * @param app - server of the admin socket
 * @param parts - record, objects, Events
 */
export function registerNetworksPages(app: FastifyInstance, parts: NetworksPagesParts): void {
  const { instances, prefixes, allocations, namespaces, shown } = parts;
  const pages = new PageSender(async () => {
    await Promise.all([instances, prefixes, allocations, namespaces].map((feed) => feed.whenSynced()));
    await shown.whenKnown();
  });
  app.get(ADMIN_PATHS.networksFindings, (_request, reply) => pages.send(reply, () => findingsPage(parts)));
  app.get<{ Params: { readonly namespace: string; readonly name: string } }>(
    `${ADMIN_PATHS.networksObjects}/:namespace/:name`,
    ({ params }, reply) => pages.send(reply, () => objectPage(parts, params)),
  );
  app.get<{ Params: { readonly address: string } }>(`${ADMIN_PATHS.networksAddresses}/:address`, ({ params }, reply) =>
    pages.sendAbout(reply, params.address, (address) => addressPage(parts, address)),
  );
  app.get<{ Params: { readonly address: string } }>(
    `${ADMIN_PATHS.networksAddresses}/:address/history`,
    ({ params }, reply) => pages.sendAbout(reply, params.address, (address) => historyPage(parts, address)),
  );
}
