import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../../contract/ipam-api/admin-paths';
import { PageSender } from '../../../contract/ipam-api/v3/page-sender';
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
  const { groups, services, namespaces, shown } = parts;
  const pages = new PageSender(async () => {
    await Promise.all([groups, services, namespaces].map((feed) => feed.whenSynced()));
    await shown.whenKnown();
  });
  app.get(ADMIN_PATHS.vipsTree, (_request, reply) => pages.send(reply, () => treePage(parts)));
  app.get(ADMIN_PATHS.vipsFindings, (_request, reply) => pages.send(reply, () => findingsPage(parts)));
  app.get<{ Params: { readonly namespace: string; readonly name: string } }>(
    `${ADMIN_PATHS.vipsServices}/:namespace/:name`,
    ({ params }, reply) => pages.send(reply, () => servicePage(parts, params)),
  );
  app.get<{ Params: { readonly address: string } }>(`${ADMIN_PATHS.vipsAddresses}/:address`, ({ params }, reply) =>
    pages.sendAbout(reply, params.address, (address) => addressPage(parts, address)),
  );
  app.get<{ Params: { readonly address: string } }>(
    `${ADMIN_PATHS.vipsAddresses}/:address/history`,
    ({ params }, reply) => pages.sendAbout(reply, params.address, (address) => historyPage(parts, address)),
  );
}
