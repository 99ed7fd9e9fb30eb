/*
 * spool_files.h - the files that one spool lies in, as its writers share them.
 *
 *     train.spool      header | blocks of one writer | index
 *     train.1.spool    blocks of another one
 *
 * The kernel lets one thread at a time write to a file, so each writer has a
 * file of its own, made for its first block. The index names all blocks.
 *
 * All calls but new, finish and the two last may come from any thread.
 */
#pragma once

#include "runtime/data/spool/spool_format.h"
#include "runtime/data/spool/spool_source.h"

#define SPOOL_FILE_NONE UINT32_MAX

struct spool_files;

/* Where a block was given its place. */
struct spool_place {
    uint32_t file, entry;
    uint64_t offset;
};

/* Creates the file of the header. bytes_max bounds all files together. */
enum status spool_files_new(const char *path, uint64_t bytes_max, struct spool_files **files,
                            struct error *err);
/* The file of one part alone, without a header. Its entries are those of file 0. */
enum status spool_files_new_part(const char *path, uint32_t number, struct spool_files **files,
                                 struct error *err);
/* Its blocks, in order, and its size. */
const struct spool_block_entry *spool_files_entries(const struct spool_files *files,
                                                    uint32_t *count, uint64_t *size);
/* The file of a closed part becomes one of these; of a part without rows it goes.
 * LIMIT: of bytes, rows or files. */
enum status spool_files_adopt(struct spool_files *files, uint32_t number,
                              const struct spool_block_entry *entries, uint32_t count,
                              uint64_t size, struct error *err);
/* Room in the writer's file that is no block's. */
enum status spool_files_reserve(struct spool_files *files, uint32_t *file, size_t size,
                                uint64_t *offset, struct error *err);
/* Gives a block its place; what else its entry says is kept. *file is the writer's:
 * SPOOL_FILE_NONE before its first block,
 * which makes a file for it. There are SPOOL_FILES_MAX; writers that come after these share the
 * first. LIMIT: of bytes or rows. */
enum status spool_files_place(struct spool_files *files, uint32_t *file,
                              const struct spool_block_entry *block, struct spool_place *place,
                              struct error *err);
enum status spool_files_write(struct spool_files *files, uint32_t file, const void *bytes,
                              size_t size, uint64_t offset, struct error *err);
/* The block is written, and this is its hash. */
void spool_files_seal(struct spool_files *files, const struct spool_place *place, uint64_t hash);
/* Rows of all blocks. */
uint64_t spool_files_rows(const struct spool_files *files);
/* Maps all that is written, to be read. Until the next call blocks stay where they are. */
enum status spool_files_map(struct spool_files *files, struct error *err);
/* Sets the source of parts that are adopted afterwards (spool_writer_read_from). */
void spool_files_read_from(struct spool_files *files, const struct spool_source *source);
/* The block's hashes, or its rows, can be read until they are done with. */
enum status spool_files_need_hashes(const struct spool_files *files,
                                    const struct spool_block_entry *entry, struct spool_need **need,
                                    struct error *err);
enum status spool_files_need_rows(const struct spool_files *files,
                                  const struct spool_block_entry *entry, struct spool_need **need,
                                  struct error *err);
/* The same for some bytes of one block, which lie by the offset in it. */
struct spool_bytes {
    const struct spool_block_entry *entry;
    uint64_t offset, size;
};
enum status spool_files_need_bytes(const struct spool_files *files, const struct spool_bytes *bytes,
                                   size_t count, struct spool_need **need, struct error *err);
void spool_files_done_with(const struct spool_files *files, struct spool_need *need);
/* The hashes of the blocks of these numbers are on their way, where they are not in memory. */
void spool_files_expect_hashes(const struct spool_files *files,
                               const struct spool_block_entry *entries, const uint32_t *numbers,
                               uint32_t count);
/* So are these, of files that lie elsewhere alone. */
void spool_files_expect_bytes(const struct spool_files *files, const struct spool_bytes *bytes,
                              size_t count);
/* So are bytes of a block's rows, of a file that is here. */
void spool_files_expect_rows(const struct spool_files *files, const struct spool_block_entry *entry,
                             uint64_t offset, uint64_t size);
struct spool_block spool_files_block(const struct spool_files *files,
                                     const struct spool_block_entry *entry);
uint64_t spool_files_size(const struct spool_files *files, uint32_t file);
/* Rows of the block are gone: how many, and where their bits are. */
void spool_files_mark(struct spool_files *files, uint32_t entry, uint32_t gone, uint64_t gone_at);

/* Index and header; then nothing can be added. */
struct spool_settled;
/* settled: of a spool that lies by key (spool_settle.h), else NULL. */
enum status spool_files_finish(struct spool_files *files, const struct spool_column_entry *columns,
                               uint32_t count, const struct spool_settled *settled,
                               struct error *err);
/* Frees it; when that fails, no file is left. */
enum status spool_files_close(struct spool_files *files, struct error *err);
/* Frees it, and no file is left. */
void spool_files_abandon(struct spool_files *files);

/* The file of a part that was left behind. */
void spool_part_remove(const char *path, uint32_t number);

/* The path of one of a spool's files. False: too long. */
bool spool_file_path(const char *path, uint32_t number, char buffer[SPOOL_PATH_MAX]);
/* The same, of a part that is not joined yet: train.part0.spool. */
bool spool_part_path(const char *path, uint32_t number, char buffer[SPOOL_PATH_MAX]);
