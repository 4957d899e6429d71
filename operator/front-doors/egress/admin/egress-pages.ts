import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../../contract/ipam-api/admin-paths';
import { PageSender } from '../../../contract/ipam-api/v3/page-sender';
import { addressPage, historyPage } from './address-page';
import type { EgressPagesParts } from './egress-pages-parts';
import { findingsPage } from './findings-page';
import { objectPage, type AskedObject } from './object-page';
import { treePage } from './tree-page';

/**
 * Serves what the Egress door knows, for `ipam tree`, `explain`, `history` and `doctor`. Every caller may read everything, so the server
 * must listen where only the operator's user can connect.
 *
 * @param app - server of the admin socket
 * @param parts - record, objects, Events
 */
export function registerEgressPages(app: FastifyInstance, parts: EgressPagesParts): void {
  const { egressIpams, namespaces, shown, strongerPools } = parts;
  const pages = new PageSender(async () => {
    await Promise.all([egressIpams, namespaces].map((feed) => feed.whenSynced()));
    await Promise.all([shown.whenKnown(), ...strongerPools.map((pools) => pools.whenKnown?.())]);
  });
  app.get(ADMIN_PATHS.egressTree, (_request, reply) => pages.send(reply, () => treePage(parts)));
  app.get(ADMIN_PATHS.egressFindings, (_request, reply) => pages.send(reply, () => findingsPage(parts)));
  app.get<{ Params: AskedObject }>(`${ADMIN_PATHS.egressObjects}/:kind/:name`, ({ params }, reply) =>
    pages.send(reply, () => objectPage(parts, params)),
  );
  app.get<{ Params: { readonly address: string } }>(`${ADMIN_PATHS.egressAddresses}/:address`, ({ params }, reply) =>
    pages.sendAbout(reply, params.address, (address) => addressPage(parts, address)),
  );
  app.get<{ Params: { readonly address: string } }>(
    `${ADMIN_PATHS.egressAddresses}/:address/history`,
    ({ params }, reply) => pages.sendAbout(reply, params.address, (address) => historyPage(parts, address)),
  );
}
