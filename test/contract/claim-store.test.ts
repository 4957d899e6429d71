import { claimStoreSuite, contract } from '../support/claim-store-suite';
import { openMemory, openSqlite } from '../support/open-stores';

contract('claim store', { memory: openMemory, sqlite: openSqlite }, claimStoreSuite);
