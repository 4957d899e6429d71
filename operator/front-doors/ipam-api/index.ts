import type { FastifyInstance } from 'fastify';
import { readJsonBodies } from './shared/json-bodies';
import { addV2Routes, type IpamApiParts } from './v2/v2-routes';

export { clientLogin, type ClientSource } from './v3/authenticator';
export { settleShares } from './v3/settle-shares';
export { ADMIN_LOGIN, type IpamApiV3Parts } from './v3/parts';
export { registerIpamApiV3 } from './v3/v3-routes';

/**
 * Opens the IPAM-API front door on a server: version 2, with the root aliases of older operators.
 *
 * @param app - instance whose own errors are JSON already, that does not listen yet
 * @param parts - book, clock, logger, meter, limits
 */
export function registerIpamApi(app: FastifyInstance, parts: IpamApiParts): void {
  readJsonBodies(app);
  addV2Routes(app, parts);
}
