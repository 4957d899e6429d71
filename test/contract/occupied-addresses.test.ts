import { contract } from '../support/claims-suite';
import { occupiedSuite } from '../support/occupied-suite';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { overV3 } from '../support/remote-shown';
import { sharedPostgres } from '../support/postgres-server';

beforeAll(sharedPostgres);

contract(
  'occupied addresses',
  { memory: openMemory, sqlite: openSqlite, postgres: openPostgres, 'IPAM-API over HTTPS': overV3(openSqlite) },
  occupiedSuite,
);
