/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { crc32 } from 'node:zlib';

/** A ZIP archive of these files, by their paths, without compression (PKWARE's APPNOTE, 4.3). */
export function zip(files: Record<string, string>): Buffer {
	const local: Buffer[] = [];
	const central: Buffer[] = [];
	let offset = 0;
	for (const [path, text] of Object.entries(files)) {
		const [name, data] = [Buffer.from(path), Buffer.from(text)];
		const common = Buffer.alloc(26);
		common.writeUInt16LE(20, 0); // version needed
		common.writeUInt16LE(0x0800, 2); // names in UTF-8
		common.writeUInt32LE(crc32(data), 10);
		common.writeUInt32LE(data.length, 14); // compressed
		common.writeUInt32LE(data.length, 18);
		common.writeUInt16LE(name.length, 22);
		const entry = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, data]);
		const rest = Buffer.alloc(14);
		rest.writeUInt32LE(offset, 10);
		central.push(Buffer.from('PK\x01\x02\x14\x00'), common, rest, name);
		local.push(entry);
		offset += entry.length;
	}
	const directory = Buffer.concat(central);
	const end = Buffer.alloc(22);
	end.write('PK\x05\x06');
	end.writeUInt16LE(local.length, 8);
	end.writeUInt16LE(local.length, 10);
	end.writeUInt32LE(directory.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...local, directory, end]);
}
